package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import java.time.Duration;

/** What a lease needs from the engine that granted it. */
public interface LeaseKeeper {

    /** Gives a lease back that its holder released while it was valid, and calls its {@link HeldLease#freed} once. */
    void release(HeldLease lease);

    /** Clears up after a lost lease. Unless the cause is {@link LossCause#GONE}, Redis may still have it. */
    void lost(HeldLease lease, LossCause cause);

    /**
     * Asks Redis whether the owner still has the lock, and waits for the answer.
     *
     * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
     */
    boolean verify(HeldLease lease);

    /**
     * Makes the key live at least this long, and the grant valid accordingly. False if the owner no longer has the lock, or the answer came
     * too late.
     *
     * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
     */
    boolean extend(HeldLease lease, Duration length);

    LockKind kind();

    /** Renews the leases of this kind. */
    Renewals renewals();

    /** Where a blocking release waits. */
    default Background background() {
        return Background.SYSTEM;
    }

    /** How long a blocking release waits for Redis. */
    Duration releasePatience();
}
