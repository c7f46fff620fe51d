package dev.holdfast.lock.simulation;

import org.jspecify.annotations.Nullable;

/** A call that has not been answered yet. */
final class Wait {

    final LockSpec lock;
    final Instance instance;
    final SimulatedProcess process;
    final String caller;
    final long since;
    final long waitNanos;
    /** The lease time in nanoseconds; 0 for a renewed lease. */
    long leaseNanos;
    /** The time for which the lock stays taken if the wait is canceled at the moment of its grant. */
    long minHoldNanos;

    /** The write lock of the same thread, if the thread wants to read inside it. */
    @Nullable
    Hold inside;

    boolean ended;
    boolean canceled;
    /** Whether a release may have granted the lock to this caller before it was freed by force, so that the caller's place is gone. */
    boolean mayHaveLostGrant;

    Wait(LockSpec lock, Instance instance, String caller, long since, long waitNanos) {
        this.lock = lock;
        this.instance = instance;
        this.process = instance.process;
        this.caller = caller;
        this.since = since;
        this.waitNanos = waitNanos;
    }

    /** Returns whether this caller waits in a queue in which the other one waits or has waited. */
    boolean isInQueueWith(Wait other) {
        return waitNanos > 0 && lock.sharesNameWith(other.lock);
    }
}
