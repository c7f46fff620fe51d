package dev.holdfast.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A held lock as a value that belongs to no thread: any thread may use it, pass it on and release it.
 *
 * <p>A lease is valid from the moment its command was sent until its length, less 5 % for clocks that drift, has passed on this process's monotonic
 * clock; each confirmed renewal counts from its own sending. So {@link #isHeld()} is false before Redis can grant the lock to another holder,
 * without a round trip and in any network failure. It cannot cover a pause between the check and the act: send the {@link #fencingToken()} with what
 * is written under the lock.
 *
 * <p>Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /** The name of the lock, without the client's prefix. */
    String lockName();

    /** A number that is greater than that of every earlier holder of this lock. Drawn once with the lease. */
    long fencingToken();

    /** Whether the lease is neither released nor lost and still valid. Answers locally. */
    @CheckReturnValue
    boolean isHeld();

    /**
     * Throws unless the lease is held, for work that must not continue without it. Answers locally.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws IllegalMonitorStateException if it was released
     */
    default void assertHeld() {
        if (!isHeld()) {
            throw new IllegalMonitorStateException(
                    "The lease on lock '" + LogText.escape(lockName()) + "' is no longer held");
        }
    }

    /** How long the lease stays valid if no further renewal succeeds; zero when over. Answers locally. */
    Duration remaining();

    /**
     * Asks Redis whether this holder still has the lock. If not, the lease is lost.
     *
     * @return true if Redis confirmed and the lease is valid
     * @throws LockUnavailableException if Redis did not answer
     */
    @CheckReturnValue
    boolean verify();

    /**
     * Makes the lease last at least this long from now on, and never shortens it. A renewed lease is still renewed by its own length: if its holder
     * dies, the lock is free at the end of the extension, or a lease after the last renewal, whichever is later.
     *
     * @param lease 10 ms to 24 h
     * @throws LeaseLostException if the lease is already over
     * @throws LockUnavailableException if Redis did not answer; the lease then stays as it was
     */
    void extend(Duration lease);

    /**
     * Sets a new minimum hold time, counted from now. It replaces the one of the acquisition. If the lease is released earlier, the lock stays taken for the
     * rest. Answers locally: if this process dies first, the lock is free at the end of its lease.
     *
     * @param minHold zero to 24 h
     * @throws IllegalMonitorStateException if the lease has ended
     * @see AcquireOptions#minHold(Duration)
     */
    void minHold(Duration minHold);

    /**
     * Sets a new maximum hold time, counted from now. It replaces the one of the acquisition. It shortens a lease: at its end the lease is lost with {@link
     * LossCause#MAX_HOLD} and the lock is free. Answers locally: if this process dies first, the lock is free at the end of its lease.
     *
     * @param maxHold at least {@link AcquireOptions#MIN_LEASE}
     * @throws IllegalMonitorStateException if the lease has ended
     * @see AcquireOptions#maxHold(Duration)
     */
    void maxHold(Duration maxHold);

    /**
     * Calls back once when the lease is lost, or at once if it already is. The callback runs on one of the client's threads. What it throws is
     * logged.
     *
     * @param callback receives the loss; should be quick
     */
    void onLost(Consumer<LeaseLoss> callback);

    /**
     * Releases the lock without waiting for Redis. The stage completes when Redis has freed the lock or a local waiter has it, and fails with {@link
     * LeaseLostException} if the lease ended earlier. A second call returns the same result.
     */
    CompletionStage<Void> releaseAsync();

    /**
     * Releases the lock. Waits for Redis for at most one command timeout. If there is no answer by then, the release is repeated in the background
     * until Redis answers or the lease runs out, and this method returns normally, since the work was protected to its end. A second call does
     * nothing.
     *
     * @throws LeaseLostException if the lease ended before the work did
     */
    @Override
    void close();
}
