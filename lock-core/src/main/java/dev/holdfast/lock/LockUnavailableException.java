package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * Redis could not be reached, did not answer in time, or refused the command. Whether the lock is free is unknown: this is "down", never "busy".
 * What the failed try may have left in Redis is taken back in the background.
 */
public class LockUnavailableException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean isTransient;

    /** Creates the exception. */
    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        this(lockName, message, cause, true);
    }

    /** Creates the exception. */
    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause, boolean isTransient) {
        super(lockName, message, cause);
        this.isTransient = isTransient;
    }

    /** Whether another try may succeed without a change to Redis or to the application. An outage is transient; a missing right is not. */
    public boolean isTransient() {
        return isTransient;
    }
}
