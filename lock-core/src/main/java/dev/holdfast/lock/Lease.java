package dev.holdfast.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A held lock as a value that belongs to no thread: any thread may use it, pass it on and release it.
 *
 * <p>The validity of a lease begins at the moment its command was sent. It lasts for the lease's length, less 5 % because clocks drift, on this
 * process's monotonic clock. Each confirmed renewal starts the validity anew from the moment the renewal was sent. So {@link #isHeld()} returns false
 * before Redis can grant the lock to another holder, without a round trip and in any network failure. A process can still pause between that check
 * and the protected work: send the {@link #fencingToken()} with each write to the protected data.
 *
 * <p>Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /** Returns the name of the lock, without the client's prefix. */
    String lockName();

    /** Returns the kind of the lock. A lock that consists of several locks is {@link LockKind#REENTRANT}. */
    LockKind kind();

    /** Returns a number that is greater than the number of every earlier holder of this lock. It does not change while the lease lasts. */
    long fencingToken();

    /** Returns whether the lease is still valid, and is neither released nor lost. Answers locally. */
    @CheckReturnValue
    boolean isHeld();

    /**
     * Throws an exception unless the lease is held. For work that must not continue without the lock. Answers locally.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws IllegalMonitorStateException if the lease was released
     */
    default void assertHeld() {
        if (!isHeld()) {
            throw new IllegalMonitorStateException(
                    "The lease on lock '" + LogText.escape(lockName()) + "' is no longer held");
        }
    }

    /** Returns how long the lease stays valid if no further renewal succeeds, or zero if the lease has ended. Answers locally. */
    Duration remaining();

    /**
     * Returns what writes to the Redis of the lock, in one step with the check that this holder still has the lock. Sends nothing.
     *
     * @throws IllegalStateException if the lock consists of several locks that Redis cannot check in one step: a lock of several names in a cluster
     *     that are in different slots, or of several servers
     */
    LeaseGuard guard();

    /**
     * Asks Redis whether this holder still has the lock. If the holder no longer has it, the lease becomes lost.
     *
     * @return true if Redis confirmed that this holder has the lock, and the lease is valid
     * @throws LockUnavailableException if Redis did not answer
     */
    @CheckReturnValue
    boolean verify();

    /**
     * Extends the lease so that it lasts at least this long from now on. Never shortens the lease. Later renewals still use the lease's own length.
     * If the holder's process dies, the lock is free at the end of the extension or one lease length after the last renewal, whichever is later.
     *
     * @param lease 10 ms to 24 h
     * @throws LeaseLostException if the lease has already ended
     * @throws LockUnavailableException if Redis did not answer; the lease is then unchanged
     */
    void extend(Duration lease);

    /**
     * Sets a new minimum hold time, counted from now. It replaces the minimum hold time of the acquisition. If the lease is released earlier, the
     * lock stays taken for the rest of this time. Nothing is sent to Redis: if this process dies earlier, or if Redis fails over
     * before the release, the lock can be free at the end of its lease.
     *
     * @param minHold zero to 24 h
     * @throws IllegalMonitorStateException if the lease has ended
     * @see AcquireOptions#minHold(Duration)
     */
    void minHold(Duration minHold);

    /**
     * Sets a new maximum hold time, counted from now. It replaces the maximum hold time of the acquisition. A lease that would last longer is cut
     * short: after this time, the lease is lost with {@link LossCause#MAX_HOLD} and the lock is free. Nothing is sent to Redis: if this process dies
     * earlier, the lock is free at the end of its lease.
     *
     * @param maxHold at least {@link AcquireOptions#MIN_LEASE}
     * @throws IllegalMonitorStateException if the lease has ended
     * @see AcquireOptions#maxHold(Duration)
     */
    void maxHold(Duration maxHold);

    /**
     * Registers a callback that is called once when the lease is lost, or at once if the lease is lost already. The callback runs on one of the
     * client's threads. An exception that the callback throws is logged.
     *
     * @param callback receives the loss; should be quick
     */
    void onLost(Consumer<LeaseLoss> callback);

    /**
     * Returns whether somebody {@linkplain LockClient#requestStop asked} this holder to stop. Work that can end early looks at it from time to time.
     * Becomes true with a renewal, or with {@link #verify()} and {@link #extend}: a lease of fixed length has only these two. The lease stays held.
     * Answers locally.
     */
    @CheckReturnValue
    boolean stopRequested();

    /**
     * Registers a callback that is called once when {@link #stopRequested()} becomes true, or at once if it is true already. Otherwise like {@link
     * #onLost}.
     */
    void onStopRequested(Runnable callback);

    /**
     * Releases the lock without waiting for Redis. The stage completes when Redis has freed the lock or a waiter of this client has received it. It
     * fails with {@link LeaseLostException} if the lease ended earlier. A second call returns the same result.
     */
    CompletionStage<Void> releaseAsync();

    /**
     * Releases the lock. Waits for the answer of Redis for at most one command timeout. Without an answer by then, this method returns normally,
     * because the work was protected to its end. The release is then repeated in the background until Redis answers or the lease runs out. A second
     * call does nothing.
     *
     * @throws LeaseLostException if the lease ended before the work did
     */
    @Override
    void close();
}
