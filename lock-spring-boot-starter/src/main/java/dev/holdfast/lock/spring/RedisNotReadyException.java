package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** Thrown at startup if {@code holdfast.fail-fast} is on and Redis does not answer or refuses a command that locks need. */
public class RedisNotReadyException extends LockStartupException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. The description and the action are complete sentences. */
    public RedisNotReadyException(String description, String action, @Nullable Throwable cause) {
        super(description, action, cause);
    }
}
