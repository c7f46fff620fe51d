package dev.holdfast.lock.internal.lease;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * One acquisition in Redis: an owner id with a time to live, and a block of fencing tokens for the local threads that hold it in turn.
 *
 * <p>Valid from the moment the command was sent, less a drift allowance of a twentieth: the server started its countdown later than that, so the
 * validity ends here before the key ends there. A confirmation that comes after the validity has ended revives nothing.
 */
public final class Grant {

    private static final int DRIFT_SHARE = 20;

    /**
     * What the confirmations so far have brought.
     *
     * @param confirmedAt when the latest confirmed command was sent
     * @param endsAt when the key ends in Redis at the earliest
     * @param until the drift allowance before that
     * @param longestNanos the longest lease that Redis was told
     */
    private record Validity(long confirmedAt, long endsAt, long until, long longestNanos) {

        static Validity of(long sentAt, long leaseNanos) {
            return new Validity(
                    sentAt, sentAt + leaseNanos, sentAt + leaseNanos - leaseNanos / DRIFT_SHARE, leaseNanos);
        }

        /** A confirmation of a shorter lease says that the owner is still named; it takes nothing from a longer one. */
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
     * @param lockName the lock, as its user calls it
     * @param key the lock's key in Redis
     * @param owner the owner id, of this grant alone
     * @param firstToken the first fencing token of the block
     * @param tokens how many tokens there are
     * @param sentAt when the command that brought the grant was sent
     * @param leaseNanos the time to live that it asked for
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
     * Creates a grant that another client's release made.
     *
     * @param refusedAt when the command was sent that Redis refused before it made the grant: no earlier than this the lease began
     * @param now the present moment: what is known of the grant is as young as its message
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

    /** When the first holder's command was sent: what bounds passing the grant on. */
    public long grantedAt() {
        return grantedAt;
    }

    /** The longest lease that Redis was told: waiters cut a key that lives longer. */
    public long leaseNanos() {
        return validity.longestNanos;
    }

    /** Redis is about to be told a lease. It may have it although no answer will say so. */
    public void told(long leaseNanos) {
        if (validity.longestNanos < leaseNanos) {
            VALIDITY.updateAndGet(this, before -> before.withLongest(leaseNanos));
        }
    }

    /** When Redis last confirmed it: the sending of the latest confirmed command, or the message of the grant. */
    public long confirmedAt() {
        return validity.confirmedAt();
    }

    /** When its key ends in Redis at the earliest. */
    public long endsAt() {
        return validity.endsAt();
    }

    /** The moment from which the grant must not be relied on. */
    public long validUntil() {
        return validity.until;
    }

    /**
     * Takes in that Redis confirmed the grant.
     *
     * @param sentAt when the confirmed command was sent
     * @param leaseNanos the time to live it asked for
     * @param now the present moment
     * @return false if the answer came too late to be of use
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

    /** The first token of the block: it tells this grant from every other of the same owner. */
    public long firstToken() {
        return firstToken;
    }

    /** The last token of the block: every later grant's are greater. */
    public long lastToken() {
        return lastToken;
    }

    /** Whether there is a token for another holder. */
    public synchronized boolean hasToken() {
        return nextToken <= lastToken;
    }

    /** Whether the next holder's token would be greater than this one. */
    public synchronized boolean isBeyond(long token) {
        return nextToken > token;
    }

    /** Whether a waiter has had it. */
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
