package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * Redis could not be asked, did not answer in time, or refused the command. Nobody knows whether the lock is free: this is "down", never
 * "busy". Whatever the failed try may have left in Redis is taken back in the background.
 */
public class LockUnavailableException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean isTransient;

    /**
     * Creates the exception.
     *
     * @param lockName the lock
     * @param message what happened and what to do
     * @param cause the failure underneath, if any
     */
    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        this(lockName, message, cause, true);
    }

    /**
     * Creates the exception.
     *
     * @param lockName the lock
     * @param message what happened and what to do
     * @param cause the failure underneath, if any
     * @param isTransient whether another try may succeed without a change to Redis or to the application
     */
    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause, boolean isTransient) {
        super(lockName, message, cause);
        this.isTransient = isTransient;
    }

    /**
     * Whether another try may succeed without a change to Redis or to the application. An outage passes; a missing right does not.
     *
     * @return false if Redis refused the command and will refuse it again
     */
    public boolean isTransient() {
        return isTransient;
    }
}
