package dev.holdfast.lock;

/** Why a lease ended before it was released. */
public enum LossCause {
    /** The lock in Redis is no longer this holder's: the key was deleted, flushed, forcibly released or lost in a failover. */
    GONE("Redis no longer names this holder (key deleted, flushed, released by force, or forgotten by a failover)"),
    /** No renewal was confirmed while the lease was valid: Redis did not answer, or this process stood still. */
    UNCONFIRMED("no renewal was confirmed in time (Redis did not answer, or this process stood still)"),
    /** The given lease is over. */
    EXPIRED("its given length is over"),
    /** The holder kept it for longer than {@link AcquireOptions#maxHold(java.time.Duration)}. */
    MAX_HOLD("it was held for longer than its maximum hold"),
    /** The thread that held it ended without unlocking. */
    ABANDONED("the thread that held it ended without unlocking"),
    /** The client was closed while the lease was held. */
    CLOSED("the lock client was closed");

    private final String description;

    LossCause(String description) {
        this.description = description;
    }

    /** The cause in words. */
    public String description() {
        return description;
    }
}
