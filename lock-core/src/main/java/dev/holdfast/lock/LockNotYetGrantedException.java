package dev.holdfast.lock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the wait has ended, and Redis has not granted any lock since it may have lost some: after a failover, a restart or {@code FLUSHALL}, the
 * holders of its locks have the failover grace to say so. It is unknown whether the lock is free. Another try may succeed when the grace is over.
 */
public final class LockNotYetGrantedException extends LockUnavailableException {

    private static final long serialVersionUID = 1L;

    private final Duration left;

    /** Creates the exception. */
    public LockNotYetGrantedException(String lockName, Duration left) {
        super(
                lockName,
                "Lock '" + LogText.escape(lockName) + "' is not granted yet: Redis has a new master or has lost data,"
                        + " and gives the holders of its locks " + LogText.time(left)
                        + " more to say so (failover-grace)",
                null);
        this.left = left;
    }

    /** Creates the exception for a lock of which one member is not granted yet. */
    public LockNotYetGrantedException(String lockName, String message, @Nullable Throwable cause, Duration left) {
        super(lockName, message, cause);
        this.left = left;
    }

    /** Returns the rest of the grace at the last answer of Redis. */
    public Duration left() {
        return left;
    }
}
