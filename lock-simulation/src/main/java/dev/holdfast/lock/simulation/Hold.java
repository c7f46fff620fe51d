package dev.holdfast.lock.simulation;

import dev.holdfast.lock.Lease;

/** A lease that a caller was given, and what the checks know of it. */
final class Hold {

    final LockSpec lock;
    final Instance instance;
    final SimulatedProcess process;
    final String caller;
    final Lease lease;
    final long grantedAt;
    /** When the lease must have ended in Redis at the latest, if nobody renews it any more. */
    long longestEnd;

    long minHoldEnd;
    /** Redis learns of its minimum hold by the release, which may come after the lease. */
    boolean isKeptByRelease;

    boolean releaseAsked;
    boolean released;
    /** Its release has an answer, good or not. */
    boolean settled;

    int lossReports;
    /** When the checks first saw that it was over, without a release. */
    long overSince = Long.MAX_VALUE;
    /** It has no fixed lease. */
    boolean isRenewed;

    Hold(LockSpec lock, Instance instance, String caller, Lease lease, long grantedAt) {
        this.lock = lock;
        this.instance = instance;
        this.process = instance.process;
        this.caller = caller;
        this.lease = lease;
        this.grantedAt = grantedAt;
    }

    /** Whether its holder may rely on it. */
    boolean isRelied() {
        return !process.dead && !releaseAsked && lease.isHeld();
    }
}
