package dev.holdfast.lock;

/** Why a lease ended before it was released. */
public enum LossCause {
    /** Redis no longer names this holder: the key was deleted, flushed, forcibly released or forgotten by a failover. */
    GONE("Redis no longer names this holder (key deleted, flushed, released by force, or forgotten by a failover)"),
    /** No renewal was confirmed while the lease was valid: Redis did not answer, or this process stood still. */
    UNCONFIRMED("no renewal was confirmed in time (Redis did not answer, or this process stood still)"),
    /** The given length of the lease has passed. */
    EXPIRED("its given length is over"),
    /** The lock was held for longer than {@link AcquireOptions#maxHold(java.time.Duration)}. */
    MAX_HOLD("it was held for longer than its maximum hold"),
    /** The thread that held it ended without unlocking. */
    ABANDONED("the thread that held it ended without unlocking"),
    /** The client was closed while the lease was held. */
    CLOSED("the lock client was closed");

    private final String description;

    LossCause(String description) {
        this.description = description;
    }

    /** Returns the cause in words. */
    public String description() {
        return description;
    }
}
