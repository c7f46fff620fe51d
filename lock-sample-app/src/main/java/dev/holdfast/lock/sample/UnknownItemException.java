package dev.holdfast.lock.sample;

/** A caller asked for something that the shop does not have. */
public class UnknownItemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String item;

    /**
     * Creates the exception.
     *
     * @param item what was asked for
     */
    public UnknownItemException(String item) {
        super("There is no '" + item + "'");
        this.item = item;
    }

    /** What was asked for. */
    String item() {
        return item;
    }
}
