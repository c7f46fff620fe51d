package dev.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** The application is configured not to start without a Redis that locks can work on, and there is none. */
public class RedisNotReadyException extends LockStartupException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. The description and the action are sentences. */
    public RedisNotReadyException(String description, String action, @Nullable Throwable cause) {
        super(description, action, cause);
    }
}
