package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when Redis could not be reached, did not answer in time, or refused the command. Redis is "down", so it is unknown whether the lock is
 * "busy". A name that is in use for something else is a {@link WrongLockKindException} instead. If the failed request was nevertheless granted in
 * Redis, the grant is taken back in the background.
 */
public class LockUnavailableException extends LockException {

    private static final long serialVersionUID = 1L;

    private final boolean isTransient;

    /** Creates the exception for a transient failure. */
    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause) {
        this(lockName, message, cause, true);
    }

    /** Creates the exception. */
    public LockUnavailableException(String lockName, String message, @Nullable Throwable cause, boolean isTransient) {
        super(lockName, message, cause);
        this.isTransient = isTransient;
    }

    /**
     * Returns whether another try may succeed without a change to Redis or to the application. An outage is transient, but a missing right is not.
     */
    public boolean isTransient() {
        return isTransient;
    }
}
