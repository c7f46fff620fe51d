package dev.holdfast.lock.test.memory;

/** A command was refused, with the message that Redis would have. */
final class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    CommandException(String message) {
        super(message);
    }
}
