package dev.holdfast.lock;

import java.time.Duration;
import java.util.List;

/**
 * A lease that this client holds.
 *
 * @param held how long it has been held
 * @param remaining how long it stays valid if no further renewal succeeds
 * @param renewed whether the watchdog renews it
 * @param thread the name of the thread that acquired it
 * @param waitersHere the number of waiters in this client
 * @param acquiredAt where it was acquired, innermost call first; empty unless the client records that
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

    /** Keeps its own copy of the list. */
    public HeldLock {
        acquiredAt = List.copyOf(acquiredAt);
    }
}
