package dev.holdfast.lock;

/** Why a lease ended before it was released. */
public enum LossCause {
    /** Redis no longer names this holder: the key was deleted, flushed, forced free or forgotten by a failover. */
    GONE("Redis no longer names this holder (key deleted, flushed, forced free or forgotten by a failover)"),
    /** No renewal was confirmed while the lease was valid: Redis did not answer, or this process stood still. */
    UNCONFIRMED("no renewal was confirmed in time (Redis did not answer, or this process stood still)"),
    /** The lease was given a length, and that is over. */
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

    /**
     * The cause in words.
     *
     * @return a clause fit for a message
     */
    public String description() {
        return description;
    }
}
