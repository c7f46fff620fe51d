package dev.holdfast.lock.lease;

import java.util.concurrent.atomic.AtomicReference;

/**
 * What Redis knows of one acquisition: one owner id with one time to live, and a block of fencing tokens for those who hold it in turn.
 *
 * <p>Valid from the moment the command was sent, less a drift allowance of a twentieth: the server started its countdown later than that, so
 * the validity ends here before the key ends there. A confirmation that comes after the validity has ended revives nothing.
 */
public final class Grant {

    private static final int DRIFT_SHARE = 20;

    private record Validity(long confirmedAt, long leaseNanos) {
        long until() {
            return confirmedAt + leaseNanos - leaseNanos / DRIFT_SHARE;
        }
    }

    private final String lockName;
    private final String key;
    private final String owner;
    private final long grantedAt;
    private final long lastToken;
    private final AtomicReference<Validity> validity;
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
        this.lockName = lockName;
        this.key = key;
        this.owner = owner;
        this.nextToken = firstToken;
        this.lastToken = firstToken + tokens - 1;
        this.grantedAt = sentAt;
        this.validity = new AtomicReference<>(new Validity(sentAt, leaseNanos));
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

    public long leaseNanos() {
        return validity.get().leaseNanos();
    }

    public long confirmedAt() {
        return validity.get().confirmedAt();
    }

    /** The moment from which nobody may rely on the grant any more. */
    public long validUntil() {
        return validity.get().until();
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
        Validity confirmed = new Validity(sentAt, leaseNanos);
        Validity current;
        do {
            current = validity.get();
            if (now - current.until() >= 0) {
                return false;
            }
            if (confirmed.until() - current.until() <= 0) {
                return true;
            }
        } while (!validity.compareAndSet(current, confirmed));
        return confirmed.until() - now > 0;
    }

    /** The last token of the block: every later grant's are greater. */
    public long lastToken() {
        return lastToken;
    }

    /** Whether a further holder can have a token of its own. */
    public synchronized boolean hasToken() {
        return nextToken <= lastToken;
    }

    /** Whether the next holder's token would be greater than this one. */
    public synchronized boolean isBeyond(long token) {
        return nextToken > token;
    }

    synchronized long takeToken() {
        if (nextToken > lastToken) {
            throw new IllegalStateException("No fencing token is left for another holder of '" + lockName + "'");
        }
        return nextToken++;
    }
}
