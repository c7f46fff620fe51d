package dev.holdfast.lock.test.memory;

/** What Redis answers to a command that it refuses. */
public final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public CommandException(String message) {
        super(message);
    }
}
