package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LossCause;

/**
 * The end of a holder's own time, which may come while the grant is still valid for other holders. It is the end of a given lease or of the maximum
 * hold, whichever is first.
 */
final class LeaseLimit {

    private final long startedAt;
    /** The length of a given lease, or {@link LeaseTerms#NO_LIMIT} if the lease is renewed. */
    private volatile long lease;
    /** The maximum hold time, or {@link LeaseTerms#NO_LIMIT} if there is none. */
    private volatile long maxHold;

    LeaseLimit(LeaseTerms terms, long startedAt) {
        this.startedAt = startedAt;
        this.lease = terms.renewed() ? LeaseTerms.NO_LIMIT : terms.leaseNanos() - terms.leaseNanos() / 20;
        this.maxHold = terms.maxHoldNanos();
    }

    /** Returns the time left, which is negative after the end. */
    long leftNanos(long now) {
        long limit = Math.min(lease, maxHold);
        return limit == LeaseTerms.NO_LIMIT ? Long.MAX_VALUE : startedAt + limit - now;
    }

    /** Extends the given lease so that it ends no earlier than at the given time. */
    void notBefore(long end) {
        lease = Math.max(end - startedAt, lease);
    }

    /** Removes the limit of the given lease. Only the maximum hold is left. */
    void onlyMaxHold() {
        lease = LeaseTerms.NO_LIMIT;
    }

    /** Sets the maximum hold time, counted from now. */
    void atMost(long now, long nanos) {
        maxHold = nanos > LeaseTerms.NO_LIMIT / 2 ? LeaseTerms.NO_LIMIT : now - startedAt + nanos;
    }

    LossCause cause() {
        return maxHold <= lease ? LossCause.MAX_HOLD : LossCause.EXPIRED;
    }
}
