package dev.holdfast.lock.sample.stock;

/** Thrown if a write comes from a caller whose lease was over, after a later holder has already written. */
public class StaleWriteException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StaleWriteException(String item, long fence, Throwable cause) {
        super(
                "The count of '" + item + "' with token " + fence
                        + " came too late: a later holder has counted already",
                cause);
    }
}
