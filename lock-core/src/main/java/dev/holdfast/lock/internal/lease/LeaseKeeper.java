package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What a lease asks of the engine that granted it. */
public interface LeaseKeeper {

    /**
     * Gives a lease back.
     *
     * @param lease released by its holder while valid
     * @param freed completed with true once Redis has freed the lock, or before a local waiter gets it; with false if Redis no longer knew the
     *     owner
     */
    void release(HeldLease lease, CompletableFuture<Boolean> freed);

    /**
     * Clears up after a lost lease. Unless Redis said that it is gone, Redis may still have it.
     *
     * @param lease lost
     * @param cause why
     */
    void lost(HeldLease lease, LossCause cause);

    /**
     * Asks Redis whether the owner is still named.
     *
     * @param lease whose owner
     * @return true if so; fails if Redis did not answer
     */
    CompletionStage<Boolean> verify(HeldLease lease);

    /**
     * Makes the key live at least this long, and the grant valid accordingly.
     *
     * @param lease whose key
     * @param length the new length
     * @return false if Redis no longer names the owner, or said so too late; fails if Redis did not answer
     */
    CompletionStage<Boolean> extend(HeldLease lease, Duration length);

    /**
     * Waits for one of the answers above.
     *
     * @param answer the answer
     * @param <T> its type
     * @return the answer
     * @throws dev.holdfast.lock.LockUnavailableException if there was none
     */
    <T> T await(CompletionStage<T> answer);

    /** What kind of lock it keeps. */
    LockKind kind();

    /** What renews the leases of this kind. */
    Renewals renewals();

    /** How long a blocking release waits for Redis. */
    Duration releasePatience();
}
