package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LossCause;

/**
 * The end of a holder's own time, which may come while the grant is still valid for other holders. It is the end of a given lease or of the maximum
 * hold, whichever is first.
 *
 * @param startedAt the time from which the other two are counted
 * @param lease the length of a given lease, or {@link LeaseTerms#NO_LIMIT} if the lease is renewed
 * @param maxHold the maximum hold time, or {@link LeaseTerms#NO_LIMIT} if there is none
 */
record LeaseLimit(long startedAt, long lease, long maxHold) {

    /** The limit of most holders: their leases are renewed, for as long as they like. They share this object. */
    private static final LeaseLimit NONE = new LeaseLimit(0, LeaseTerms.NO_LIMIT, LeaseTerms.NO_LIMIT);

    static LeaseLimit of(LeaseTerms terms, long startedAt) {
        long lease = terms.renewed() ? LeaseTerms.NO_LIMIT : terms.leaseNanos() - terms.leaseNanos() / 20;
        return of(startedAt, lease, terms.maxHoldNanos());
    }

    private static LeaseLimit of(long startedAt, long lease, long maxHold) {
        return Math.min(lease, maxHold) == LeaseTerms.NO_LIMIT ? NONE : new LeaseLimit(startedAt, lease, maxHold);
    }

    /** Returns the time left, which is negative after the end. */
    long leftNanos(long now) {
        long limit = Math.min(lease, maxHold);
        return limit == LeaseTerms.NO_LIMIT ? Long.MAX_VALUE : startedAt + limit - now;
    }

    /** Extends the given lease so that it ends no earlier than at the given time. */
    LeaseLimit notBefore(long end) {
        return lease == LeaseTerms.NO_LIMIT ? this : of(startedAt, Math.max(end - startedAt, lease), maxHold);
    }

    /** Removes the limit of the given lease. Only the maximum hold is left. */
    LeaseLimit onlyMaxHold() {
        return of(startedAt, LeaseTerms.NO_LIMIT, maxHold);
    }

    /** Sets the maximum hold time, counted from now. */
    LeaseLimit atMost(long now, long nanos) {
        long start = Math.min(lease, maxHold) == LeaseTerms.NO_LIMIT ? now : startedAt;
        return of(start, lease, nanos > LeaseTerms.NO_LIMIT / 2 ? LeaseTerms.NO_LIMIT : now - start + nanos);
    }

    LossCause cause() {
        return maxHold <= lease ? LossCause.MAX_HOLD : LossCause.EXPIRED;
    }
}
