package dev.holdfast.lock.internal.lease;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * One acquisition in Redis: an owner id with a time to live, and a block of fencing tokens for the local threads that hold it one after another.
 *
 * <p>The validity of a grant begins when its command was sent. It lasts for the lease less a twentieth, which allows for clock drift. The server
 * starts its countdown later, so the validity ends here before the key ends in Redis. A confirmation that arrives after the end of the validity does
 * not revive the grant.
 */
public final class Grant {

    private static final int DRIFT_SHARE = 20;

    /**
     * The result of all confirmations so far.
     *
     * @param confirmedAt when the latest confirmed command was sent
     * @param endsAt the earliest time at which the key can end in Redis
     * @param until the end of the validity, which is that time less the drift allowance
     * @param longestNanos the longest lease that was sent to Redis
     */
    private record Validity(long confirmedAt, long endsAt, long until, long longestNanos) {

        static Validity of(long sentAt, long leaseNanos) {
            return new Validity(
                    sentAt, sentAt + leaseNanos, sentAt + leaseNanos - leaseNanos / DRIFT_SHARE, leaseNanos);
        }

        /**
         * Merges a confirmation into this result. A confirmation of a shorter lease shows that Redis still names the owner, but does not shorten a
         * longer lease.
         */
        Validity with(Validity other) {
            boolean longer = other.until - until > 0;
            return new Validity(
                    confirmedAt + Math.max(0, other.confirmedAt - confirmedAt),
                    longer ? other.endsAt : endsAt,
                    longer ? other.until : until,
                    Math.max(longestNanos, other.longestNanos));
        }

        Validity withLongest(long leaseNanos) {
            return new Validity(confirmedAt, endsAt, until, Math.max(longestNanos, leaseNanos));
        }
    }

    private final String lockName;
    private final String key;
    private final String owner;
    private final long grantedAt;
    private final long firstToken;
    private final long lastToken;
    private static final AtomicReferenceFieldUpdater<Grant, Validity> VALIDITY =
            AtomicReferenceFieldUpdater.newUpdater(Grant.class, Validity.class, "validity");

    private volatile Validity validity;
    private long nextToken;

    /**
     * Creates a grant.
     *
     * @param lockName the name of the lock, as the caller gave it
     * @param key the lock's key in Redis
     * @param owner the owner id, which no other grant has
     * @param firstToken the first fencing token of the block
     * @param tokens the number of tokens
     * @param sentAt when the command that was answered with the grant was sent
     * @param leaseNanos the time to live that this command requested
     */
    public Grant(String lockName, String key, String owner, long firstToken, int tokens, long sentAt, long leaseNanos) {
        this(lockName, key, owner, firstToken, tokens, sentAt, Validity.of(sentAt, leaseNanos));
    }

    private Grant(
            String lockName, String key, String owner, long firstToken, int tokens, long grantedAt, Validity validity) {
        this.lockName = lockName;
        this.key = key;
        this.owner = owner;
        this.firstToken = firstToken;
        this.nextToken = firstToken;
        this.lastToken = firstToken + tokens - 1;
        this.grantedAt = grantedAt;
        this.validity = validity;
    }

    /**
     * Returns a grant that a release by another client made.
     *
     * @param refusedAt when the last refused request was sent. The lease cannot have begun before that
     * @param now the present time, at which the message confirms the grant
     */
    public static Grant byRelease(
            String lockName,
            String key,
            String owner,
            long firstToken,
            int tokens,
            long refusedAt,
            long leaseNanos,
            long now) {
        Validity counted = Validity.of(refusedAt, leaseNanos);
        Validity heardOf = new Validity(now, counted.endsAt, counted.until, leaseNanos);
        return new Grant(lockName, key, owner, firstToken, tokens, now, heardOf);
    }

    public String lockName() {
        return lockName;
    }

    public String key() {
        return key;
    }

    public String owner() {
        return owner;
    }

    /** Returns when the grant was requested, or when the message about it arrived. This time limits how long the grant can be handed over. */
    public long grantedAt() {
        return grantedAt;
    }

    /** Returns the longest lease that was sent to Redis. Waiters cut the time to live of a key that exceeds it. */
    public long leaseNanos() {
        return validity.longestNanos;
    }

    /** Called before a lease is sent to Redis, because Redis may apply the lease even if its answer never arrives. */
    public void told(long leaseNanos) {
        if (validity.longestNanos < leaseNanos) {
            VALIDITY.updateAndGet(this, before -> before.withLongest(leaseNanos));
        }
    }

    /**
     * Returns when Redis last confirmed the grant: the time at which the latest confirmed command was sent, or the message about the grant arrived.
     */
    public long confirmedAt() {
        return validity.confirmedAt();
    }

    /** Returns the earliest time at which the key can end in Redis. */
    public long endsAt() {
        return validity.endsAt();
    }

    /** Returns the time from which the grant must not be relied on. */
    public long validUntil() {
        return validity.until;
    }

    /**
     * Records that Redis has confirmed the grant.
     *
     * @param sentAt when the confirmed command was sent
     * @param leaseNanos the time to live that this command requested
     * @param now the present time
     * @return false if the confirmation came too late
     */
    public boolean confirm(long sentAt, long leaseNanos, long now) {
        Validity confirmed = Validity.of(sentAt, leaseNanos);
        Validity before;
        Validity after;
        do {
            before = validity;
            if (now - before.until >= 0) {
                return false;
            }
            after = before.with(confirmed);
        } while (!VALIDITY.compareAndSet(this, before, after));
        return after.until - now > 0;
    }

    /** Returns the first token of the block. It distinguishes this grant from any other grant with the same owner id. */
    public long firstToken() {
        return firstToken;
    }

    /** Returns the last token of the block. All tokens of later grants are greater. */
    public long lastToken() {
        return lastToken;
    }

    /** Returns whether a token is left for another holder. */
    public synchronized boolean hasToken() {
        return nextToken <= lastToken;
    }

    /** Returns whether the next holder's token would be greater than the given token. */
    public synchronized boolean isBeyond(long token) {
        return nextToken > token;
    }

    /** Returns whether the grant has had a holder. */
    public synchronized boolean hasBeenHeld() {
        return nextToken > firstToken;
    }

    synchronized long takeToken() {
        if (nextToken > lastToken) {
            throw new IllegalStateException("No fencing token is left for another holder of '" + lockName + "'");
        }
        return nextToken++;
    }
}
