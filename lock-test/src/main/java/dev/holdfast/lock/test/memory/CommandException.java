package dev.holdfast.lock.test.memory;

/** Thrown if Redis refuses a command. The message is the error that Redis returns. */
public final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public CommandException(String message) {
        super(message);
    }
}
