package dev.holdfast.lock.simulation;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LossCause;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lease that a caller was given, with the state that the checks need. */
final class Hold {

    private static final long LATEST = TimeUnit.SECONDS.toNanos(6);

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
    /** The time from which the lease may have ended in Redis, as far as the holder knew when it set that minimum hold. */
    long sureUntil;
    /** Whether it was released while a former master served on. */
    boolean isReleasedElsewhere;

    /** The write lock of the same thread, inside which it reads. */
    @Nullable
    Hold inside;

    /** Whether Redis has freed the lock by force since the grant. The holder does not know it yet. */
    boolean forced;

    boolean releaseAsked;
    boolean released;
    /** The time at which the release had an answer, good or bad. */
    long answeredAt = Long.MAX_VALUE;

    int lossReports;
    /** How often the holder was told to stop. */
    int told;
    /** The time at which the checks first saw that the lease was over without a release. */
    long overSince = Long.MAX_VALUE;
    /** The time at which a maximum hold ends the lease. */
    long maxHoldEnd = Long.MAX_VALUE;
    /** The cause of its loss; null if it was not lost. */
    @Nullable
    LossCause lossCause;
    /** Whether the lease is renewed and so has no fixed length. */
    boolean isRenewed;

    /** The time since which the latest renewal is at most a third of the lease old, if nothing goes wrong. */
    long settledAt;

    Hold(LockSpec lock, Instance instance, String caller, Lease lease, long grantedAt) {
        this.lock = lock;
        this.instance = instance;
        this.process = instance.process;
        this.caller = caller;
        this.lease = lease;
        this.grantedAt = grantedAt;
    }

    /** Records that a longer lease is asked for. Redis may give it late, and without an answer. */
    void asksFor(long now, long nanos) {
        longestEnd = Math.max(longestEnd, now + nanos + LATEST);
    }

    /** Returns whether the release has an answer. */
    boolean isSettled() {
        return answeredAt != Long.MAX_VALUE;
    }

    /** Returns whether the holder relies on the lease. */
    boolean isBelieved() {
        return !process.dead && !releaseAsked && lease.isHeld();
    }

    /** Returns whether the holder may rely on the lease. */
    boolean isRelied() {
        return isBelieved() && !forced;
    }

    /** Returns how long the lock must still stay taken for the minimum hold, or a negative time. */
    long minHoldLeft(long now) {
        boolean isForgotten = forced || lossCause == LossCause.GONE;
        // Redis learns of a later minimum hold only from the release, which a holder that dies or loses its lease may
        // never send, and another may send to the next master while the former one serves on.
        boolean isUntold = isKeptByRelease
                && (process.dead || lossReports > 0 || isReleasedElsewhere || Math.min(now, answeredAt) > sureUntil);
        return isForgotten || isUntold || lock.kind().isComposite() ? -1 : minHoldEnd - now;
    }
}
