package dev.holdfast.lock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the lock's name is in use for something else: it is held as another kind of lock, or its key in Redis holds something that is not a lock.
 * The declarations contradict each other, and another try does not help until one of them is corrected. The lock is neither "busy" nor "unavailable".
 */
public class WrongLockKindException extends LockException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public WrongLockKindException(String lockName, String message, @Nullable Throwable cause) {
        super(lockName, message, cause);
    }
}
