package dev.holdfast.lock.simulation;

import dev.holdfast.lock.Lease;

/** A lease that a caller was given, with the state that the checks need. */
final class Hold {

    final LockSpec lock;
    final Instance instance;
    final SimulatedProcess process;
    final String caller;
    final Lease lease;
    final long grantedAt;
    /** The latest time at which the lease ends in Redis if it is not renewed again. */
    long longestEnd;

    long minHoldEnd;
    /**
     * Whether the holder set the minimum hold after the grant. Redis then learns of the minimum hold only from the release. If the release reaches
     * Redis after the end of the lease, another client may already have acquired the lock.
     */
    boolean isKeptByRelease;

    boolean releaseAsked;
    boolean released;
    /** Whether the release has an answer, good or bad. */
    boolean settled;

    int lossReports;
    /** The time at which the checks first saw that the lease was over without a release. */
    long overSince = Long.MAX_VALUE;
    /** Whether the lease is renewed and so has no fixed length. */
    boolean isRenewed;

    Hold(LockSpec lock, Instance instance, String caller, Lease lease, long grantedAt) {
        this.lock = lock;
        this.instance = instance;
        this.process = instance.process;
        this.caller = caller;
        this.lease = lease;
        this.grantedAt = grantedAt;
    }

    /** Returns whether the holder may rely on the lease. */
    boolean isRelied() {
        return !process.dead && !releaseAsked && lease.isHeld();
    }
}
