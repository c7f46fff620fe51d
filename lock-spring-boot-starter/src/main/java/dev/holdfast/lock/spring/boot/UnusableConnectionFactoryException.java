package dev.holdfast.lock.spring.boot;

/** The application's Redis cannot be told from its beans. */
final class UnusableConnectionFactoryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * Creates the exception.
     *
     * @param reason why not
     * @param action the mend
     */
    UnusableConnectionFactoryException(String reason, String action) {
        super("Locks cannot use the application's Redis: " + reason);
        this.action = action;
    }

    String action() {
        return action;
    }
}
