package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/** What every lock failure has in common, save those that {@link java.util.concurrent.locks.Lock} wants otherwise. */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
