package dev.holdfast.lock.internal.lease;

import java.util.concurrent.TimeUnit;

/**
 * One acquisition in Redis: an owner id with a time to live, and a block of fencing tokens for the local threads that hold it one after another.
 *
 * <p>The validity of a grant begins when its command was sent. It lasts for the lease less a twentieth, which allows for clock drift. The server
 * starts its countdown later, so the validity ends here before the key ends in Redis. A confirmation that arrives after the end of the validity does
 * not revive the grant.
 */
public final class Grant implements Answer {

    private static final int DRIFT_SHARE = 20;

    private final String lockName;
    private final String key;
    private final String owner;
    private final long grantedAt;
    private final long firstToken;
    private final int tokens;
    /** The number of tokens that holders have had. */
    private int taken;

    /** When the latest confirmed command was sent. This time and the next three change together, in a synchronized method. */
    private volatile long confirmedAt;
    /** The earliest time at which the key can end in Redis. */
    private volatile long endsAt;
    /** The end of the validity: {@link #endsAt} less the drift allowance. */
    private volatile long validUntil;
    /** The longest lease that was sent to Redis. */
    private volatile long longestNanos;

    private volatile boolean written;

    private boolean asked;
    /** A time before the latest request to stop, as late as is known. */
    private long askedAt;

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
        this(lockName, key, owner, firstToken, tokens, sentAt, sentAt, leaseNanos);
    }

    private Grant(
            String lockName,
            String key,
            String owner,
            long firstToken,
            int tokens,
            long grantedAt,
            long countedFrom,
            long leaseNanos) {
        this.lockName = lockName;
        this.key = key;
        this.owner = owner;
        this.firstToken = firstToken;
        this.tokens = tokens;
        this.grantedAt = grantedAt;
        this.confirmedAt = grantedAt;
        this.endsAt = countedFrom + leaseNanos;
        this.validUntil = validUntil(countedFrom, leaseNanos);
        this.longestNanos = leaseNanos;
    }

    private static long validUntil(long sentAt, long leaseNanos) {
        return sentAt + leaseNanos - leaseNanos / DRIFT_SHARE;
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
        return new Grant(lockName, key, owner, firstToken, tokens, now, refusedAt, leaseNanos);
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
        return longestNanos;
    }

    /** Called before a lease is sent to Redis, because Redis may apply the lease even if its answer never arrives. */
    public synchronized void told(long leaseNanos) {
        longestNanos = Math.max(longestNanos, leaseNanos);
    }

    /**
     * Returns when Redis last confirmed the grant: the time at which the latest confirmed command was sent, or the message about the grant arrived.
     */
    public long confirmedAt() {
        return confirmedAt;
    }

    /** Returns the earliest time at which the key can end in Redis. */
    public long endsAt() {
        return endsAt;
    }

    /** Returns the time from which the grant must not be relied on. */
    public long validUntil() {
        return validUntil;
    }

    /**
     * Records that Redis has confirmed the grant. A confirmation of a shorter lease shows that Redis still names the owner, but does not shorten a
     * longer lease.
     *
     * @param sentAt when the confirmed command was sent
     * @param confirmedNanos the time to live that this command requested
     * @param now the present time
     * @return false if the confirmation came too late
     */
    public synchronized boolean confirm(long sentAt, long confirmedNanos, long now) {
        if (now - validUntil >= 0) {
            return false;
        }
        confirmedAt += Math.max(0, sentAt - confirmedAt);
        told(confirmedNanos);
        long until = validUntil(sentAt, confirmedNanos);
        if (until - validUntil > 0) {
            endsAt = sentAt + confirmedNanos;
            validUntil = until;
        }
        return validUntil - now > 0;
    }

    /**
     * Called when a renewal returns a request to stop.
     *
     * @param sentAt when the renewal was sent
     * @param agoMicros how long before the renewal somebody asked, by the server's clock
     */
    public synchronized void stopRequested(long sentAt, long agoMicros) {
        // A part of a microsecond is missing in both of the server's times.
        long at = sentAt - TimeUnit.MICROSECONDS.toNanos(agoMicros + 1);
        askedAt = asked ? Math.max(askedAt, at) : at;
        asked = true;
    }

    /** Returns whether a request to stop is for the holder with this token, which began at this time, and not for one that has handed over the grant. */
    synchronized boolean asksToStop(long token, long startedAt) {
        return asked && (token == firstToken || askedAt - startedAt >= 0);
    }

    /** Called before a holder writes to Redis under its lease. From now on, the grant has no other holder than the one that writes. */
    public void write() {
        written = true;
    }

    /** Returns whether a holder has written to Redis under its lease. A command that is late could be taken for one of the next holder. */
    public boolean hasBeenWrittenUnder() {
        return written;
    }

    /** Returns the first token of the block. It distinguishes this grant from any other grant with the same owner id. */
    public long firstToken() {
        return firstToken;
    }

    /** Returns the last token of the block. All tokens of later grants are greater. */
    public long lastToken() {
        return firstToken + tokens - 1;
    }

    /** Returns whether a token is left for another holder. */
    public synchronized boolean hasToken() {
        return taken < tokens;
    }

    /** Returns whether the next holder's token would be greater than the given token. */
    public synchronized boolean isBeyond(long token) {
        return firstToken + taken > token;
    }

    /** Returns whether the grant has had a holder. */
    public synchronized boolean hasBeenHeld() {
        return taken > 0;
    }

    synchronized long takeToken() {
        if (taken == tokens) {
            throw new IllegalStateException("No fencing token is left for another holder of '" + lockName + "'");
        }
        return firstToken + taken++;
    }
}
