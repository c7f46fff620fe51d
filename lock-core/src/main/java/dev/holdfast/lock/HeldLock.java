package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/**
 * A lease that this client holds.
 *
 * @param held how long the lease has been held
 * @param remaining how long the lease stays valid if no further renewal succeeds
 * @param renewed whether the watchdog renews the lease
 * @param thread the name of the thread that acquired the lease
 * @param waitersHere the number of this client's waiters for the lock
 * @param acquiredAt the stack trace of the acquisition, innermost call first; empty unless the client records stack traces
 */
public record HeldLock(
        String lockName,
        LockKind kind,
        long fencingToken,
        Duration held,
        Duration remaining,
        boolean renewed,
        String thread,
        int waitersHere,
        List<StackTraceElement> acquiredAt) {

    /** Creates a held lock with its own copy of the list. */
    public HeldLock {
        acquiredAt = List.copyOf(acquiredAt);
    }
}
