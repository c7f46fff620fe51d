package dev.holdfast.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * One holder's part of a lock, as a value: any thread may hold it, pass it on and release it.
 *
 * <p>A lease is valid from the moment its command was sent until its length, less 5 % for clocks that drift, has passed on this process's
 * monotonic clock; each confirmed renewal counts from its own sending. So {@link #isHeld()} is false before Redis can grant the lock to
 * anybody else, without a round trip and whatever happened to the network. It cannot cover a pause between the check and the act: what is
 * written under a lock should carry the {@link #fencingToken()}.
 *
 * <p>Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /**
     * The lock that is held.
     *
     * @return its name as it was asked for
     */
    String lockName();

    /**
     * A number that is greater than that of every earlier holder of this lock. Never read back from Redis.
     *
     * @return the token, drawn once with the lease
     */
    long fencingToken();

    /**
     * Whether the lease is neither released nor lost and still valid. Answers locally.
     *
     * @return true while the lease may be relied on
     */
    @CheckReturnValue
    boolean isHeld();

    /**
     * Stops whoever must not go on without the lease. Answers locally.
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

    /**
     * How long the lease stays valid if no further renewal succeeds. Answers locally.
     *
     * @return the remaining validity, zero when over
     */
    Duration remaining();

    /**
     * Asks Redis whether it still names this holder. Where it does not, the lease is lost from here on.
     *
     * @return true if Redis confirmed and the lease is valid
     * @throws LockUnavailableException if Redis did not answer
     */
    @CheckReturnValue
    boolean verify();

    /**
     * Makes the lease last at least this long from now on; it is never shortened. A lease that is renewed goes on being renewed by its own length: if
     * its holder dies, the lock is free at the end of the extension, or a lease after the last renewal, whichever is later.
     *
     * @param lease 10 ms to 24 h
     * @throws LeaseLostException if the lease is already over
     * @throws LockUnavailableException if Redis did not answer; the lease then stays as it was
     */
    void extend(Duration lease);

    /**
     * Calls back once when the lease is lost, at once if it already is. The callback runs on a thread of the client's own; what it throws
     * is logged and costs nothing.
     *
     * @param callback told of the loss; should be quick
     */
    void onLost(Consumer<LeaseLoss> callback);

    /**
     * Gives the lock back without waiting for Redis.
     *
     * @return completes when Redis has freed the lock, or when another local waiter has taken it over; fails with
     *     {@link LeaseLostException} if the lease ended earlier. A second call returns the first call's stage
     */
    CompletionStage<Void> releaseAsync();

    /**
     * Gives the lock back. Waits for Redis for one command timeout at the most: if there is no answer by then, the release is repeated in
     * the background until Redis has answered or the lease has run out, and this returns normally, since the work was protected to its
     * end. A second call does nothing.
     *
     * @throws LeaseLostException if the lease ended before the work did
     */
    @Override
    void close();
}
