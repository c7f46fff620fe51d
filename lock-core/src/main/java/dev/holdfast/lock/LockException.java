package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * The common superclass of lock failures. Failures for which {@link java.util.concurrent.locks.Lock} requires another exception type do not extend
 * it.
 */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    /** Creates the exception. */
    public LockException(String lockName, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.lockName = lockName;
    }

    /** Returns the lock's name, without the client's prefix. */
    public final String lockName() {
        return lockName;
    }
}
