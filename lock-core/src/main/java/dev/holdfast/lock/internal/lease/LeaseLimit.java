package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LossCause;

/**
 * When a holder's own time ends, even if the grant stays valid for others: at the end of a given lease or of the maximum hold, whichever is
 * first.
 */
final class LeaseLimit {

    private final long startedAt;
    /** How long a given lease lasts; {@link LeaseTerms#NO_LIMIT} if it is renewed. */
    private volatile long lease;
    /** The maximum hold time; {@link LeaseTerms#NO_LIMIT} if there is none. */
    private volatile long maxHold;

    LeaseLimit(LeaseTerms terms, long startedAt) {
        this.startedAt = startedAt;
        this.lease = terms.renewed() ? LeaseTerms.NO_LIMIT : terms.leaseNanos() - terms.leaseNanos() / 20;
        this.maxHold = terms.maxHoldNanos();
    }

    /** The time left; negative when over. */
    long leftNanos(long now) {
        long limit = Math.min(lease, maxHold);
        return limit == LeaseTerms.NO_LIMIT ? Long.MAX_VALUE : startedAt + limit - now;
    }

    /** A given lease was extended until that moment. */
    void notBefore(long end) {
        lease = Math.max(end - startedAt, lease);
    }

    /** The given lease no longer ends the hold. */
    void onlyMaxHold() {
        lease = LeaseTerms.NO_LIMIT;
    }

    /** Counts the maximum hold from now on. */
    void atMost(long now, long nanos) {
        maxHold = nanos > LeaseTerms.NO_LIMIT / 2 ? LeaseTerms.NO_LIMIT : now - startedAt + nanos;
    }

    LossCause cause() {
        return maxHold <= lease ? LossCause.MAX_HOLD : LossCause.EXPIRED;
    }
}
