package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** The context was told not to start without a working Redis, and there is none. */
public class RedisNotReadyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what was found
     * @param cause what lies behind it, if anything
     */
    public RedisNotReadyException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
