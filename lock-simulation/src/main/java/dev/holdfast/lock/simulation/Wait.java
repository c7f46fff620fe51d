package dev.holdfast.lock.simulation;

/** A call that has not been answered. */
final class Wait {

    final LockSpec lock;
    final Instance instance;
    final SimulatedProcess process;
    final String caller;
    final long since;
    final long waitNanos;
    /** 0 for a renewed lease. */
    long leaseNanos;
    /** For how long the lock stays taken if the wait is canceled as it is granted. */
    long minHoldNanos;

    boolean ended;
    boolean canceled;

    Wait(LockSpec lock, Instance instance, String caller, long since, long waitNanos) {
        this.lock = lock;
        this.instance = instance;
        this.process = instance.process;
        this.caller = caller;
        this.since = since;
        this.waitNanos = waitNanos;
    }
}
