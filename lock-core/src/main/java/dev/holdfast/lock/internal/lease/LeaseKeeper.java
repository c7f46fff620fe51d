package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The operations that a lease needs from the engine that granted it. */
public interface LeaseKeeper {

    /** Releases the lock of a lease that its holder released while it was valid. Calls the lease's {@link HeldLease#freed} once. */
    void release(HeldLease lease);

    /** Cleans up after a lost lease. Redis may still name the owner, unless the cause is {@link LossCause#GONE}. */
    void lost(HeldLease lease, LossCause cause);

    /**
     * Asks Redis whether the owner still has the lock, and waits for the answer.
     *
     * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
     */
    boolean verify(HeldLease lease);

    /** Asks Redis whether the owner still has the lock. Fails if Redis did not answer. */
    CompletionStage<Boolean> verifyAsync(HeldLease lease);

    /**
     * Extends the time to live of the key to at least the given length, and the validity of the grant accordingly. Returns false if the owner no
     * longer has the lock or the answer came too late.
     *
     * @throws dev.holdfast.lock.LockUnavailableException if Redis did not answer
     */
    boolean extend(HeldLease lease, Duration length);

    /**
     * Refuses a time for which the lock may stay taken that is too long for the client.
     *
     * @param what the name of the time, for the message
     */
    void checkTime(String what, long nanos);

    /** Returns what writes to Redis as the holder of the lease. */
    LeaseGuard guard(HeldLease lease);

    LockKind kind();

    /** Returns the object that renews leases of this kind. */
    Renewals renewals();

    /** Returns the object whose methods a blocking release waits in. */
    default Background background() {
        return Background.SYSTEM;
    }

    /** Returns how long a blocking release waits for Redis. */
    Duration releasePatience();
}
