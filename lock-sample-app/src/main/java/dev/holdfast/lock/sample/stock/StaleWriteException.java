package dev.holdfast.lock.sample.stock;

/** A write came from somebody whose lease was over and whose successor has written already. */
public class StaleWriteException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StaleWriteException(String item, long fence) {
        super("The count of '" + item + "' with token " + fence + " came too late: a later holder has counted already");
    }
}
