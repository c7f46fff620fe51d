package dev.holdfast.lock.sample;

/** Thrown if a caller requests an item that the shop does not have. */
public class UnknownItemException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String item;

    /**
     * Creates the exception.
     *
     * @param item the requested item
     */
    public UnknownItemException(String item) {
        super("There is no '" + item + "'");
        this.item = item;
    }

    /** Returns the requested item. */
    String item() {
        return item;
    }
}
