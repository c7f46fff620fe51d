package dev.holdfast.lock.spring.boot;

/** The application cannot start with its locks as they are configured. */
final class LockStartupException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * Creates the exception.
     *
     * @param description what is wrong, in sentences
     * @param action what to do, in sentences
     */
    LockStartupException(String description, String action) {
        super(description + " " + action);
        this.description = description;
        this.action = action;
    }

    String description() {
        return description;
    }

    String action() {
        return action;
    }
}
