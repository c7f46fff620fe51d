package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/** What every lock failure has in common, save those that {@link java.util.concurrent.locks.Lock} wants otherwise. */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String lockName;

    /**
     * Creates the exception.
     *
     * @param lockName the lock in question
     * @param message what happened and what to do
     * @param cause what lies behind it, if anything
     */
    public LockException(String lockName, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.lockName = lockName;
    }

    /**
     * The name of the lock in question.
     *
     * @return the name as it was given
     */
    public final String lockName() {
        return lockName;
    }
}
