package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LossCause;

/** When a holder's own time ends, even if the grant stays valid for others: at the end of a given lease or of the maximum hold, whichever is first. */
final class LeaseLimit {

    private final long startedAt;
    private final long maxHoldNanos;

    /** How long the holder may have the lock; {@link LeaseTerms#NO_LIMIT} if for ever. */
    private volatile long limit;

    LeaseLimit(LeaseTerms terms, long startedAt) {
        this.startedAt = startedAt;
        this.maxHoldNanos = terms.maxHoldNanos();
        this.limit = Math.min(
                terms.renewed() ? LeaseTerms.NO_LIMIT : terms.leaseNanos() - terms.leaseNanos() / 20, maxHoldNanos);
    }

    /** The time left; negative when over. */
    long leftNanos(long now) {
        long present = limit;
        return present == LeaseTerms.NO_LIMIT ? Long.MAX_VALUE : startedAt + present - now;
    }

    /** A given lease was extended until that moment. */
    void notBefore(long end) {
        limit = Math.min(Math.max(end - startedAt, limit), maxHoldNanos);
    }

    /** The given lease no longer ends the hold. */
    void onlyMaxHold() {
        limit = maxHoldNanos;
    }

    LossCause cause() {
        return limit == maxHoldNanos ? LossCause.MAX_HOLD : LossCause.EXPIRED;
    }
}
