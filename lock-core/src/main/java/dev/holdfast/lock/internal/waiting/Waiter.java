package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller that waits for a lock, and the future of its result. The result is set once: by the room, with a lease or a refusal, or by the caller,
 * which gives up by canceling it. A lease that comes for a waiter that has given up goes to the next waiter.
 */
public final class Waiter extends CompletableFuture<Optional<HeldLease>> {

    /** The value that means a wait without an end. */
    public static final long FOREVER = Long.MAX_VALUE;

    private final LeaseTerms terms;
    private final long waitNanos;
    private final long since;
    private final @Nullable String writerOwner;

    /** The last answer, which this waiter's refusal quotes. Set only by the room. */
    private volatile @Nullable Answer lastAnswer;

    private Timer.@Nullable Timeout deadline;

    /** Whether the wait has ended. */
    boolean overdue;

    /** The neighbors of this waiter in the {@link Waiters} of its room. */
    @Nullable
    Waiter before;

    @Nullable
    Waiter behind;

    /**
     * Creates a waiter.
     *
     * @param waitNanos the length of the wait. Zero or less means one try, and {@link #FOREVER} a wait without an end
     */
    public Waiter(LeaseTerms terms, long waitNanos, long now, @Nullable String writerOwner) {
        this.terms = terms;
        this.writerOwner = writerOwner;
        this.waitNanos = waitNanos;
        this.since = now;
        this.overdue = waitNanos <= 0;
    }

    /** Derives the hash code from the waiter's own data, so that the order in which rooms are found does not depend on the JVM. */
    @Override
    public int hashCode() {
        return Long.hashCode(since);
    }

    /**
     * Returns the result: a lease, an empty value if the lock was busy until the end of the wait, or a failure if it is unknown whether the lock is
     * free. The result is canceled if the waiter gave up.
     */
    public CompletableFuture<Optional<HeldLease>> result() {
        return this;
    }

    /** Returns the last answer of Redis that this waiter knows of. It is used for the message that says who held the lock. */
    public @Nullable Answer lastAnswer() {
        return lastAnswer;
    }

    /** Returns when the wait began. */
    public long since() {
        return since;
    }

    /** Sets a timer for the end of the wait. The wait counts from its start, because the first request may already have taken some time. */
    void setDeadline(Timer timer, Ticker ticker, Runnable onDeadline) {
        if (deadline == null && !overdue && waitNanos != FOREVER) {
            deadline = timer.after(waitNanos - (ticker.now() - since), onDeadline);
        }
    }

    /**
     * Sets a timer for a wait that has ended while an answer was pending. The answer may lead to another request, so this limit ensures that the call
     * does not take much longer.
     */
    void setLimit(Timer timer, Ticker ticker, long longestAnswerNanos, Runnable onLimit) {
        deadline = timer.after(Math.max(0, waitNanos) + longestAnswerNanos - (ticker.now() - since), onLimit);
    }

    void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel();
        }
    }

    /** Returns whether the waiter stays after a refusal. */
    public boolean waits() {
        return waitNanos > 0;
    }

    /** Returns the owner id of the write lock that the waiter's thread holds if it also wants to read, or null. */
    public @Nullable String writerOwner() {
        return writerOwner;
    }

    /** Returns the terms of the lease that the waiter wants. */
    public LeaseTerms terms() {
        return terms;
    }

    boolean isWaiting() {
        return !isDone();
    }

    /** Returns whether a grant that this waiter asked for can become its lease without a change. */
    boolean canUse(Grant grant) {
        return grant.leaseNanos() >= terms.leaseNanos();
    }

    /** Ends the wait with a lease. If the waiter has just given up, the lease has no holder; its release finds the next waiter. */
    void serve(HeldLease lease) {
        boolean served = complete(Optional.of(lease));
        lease.begun();
        if (!served) {
            lease.releaseAsync();
        }
    }

    /**
     * Ends the wait without a lease. A busy lock and an unavailable Redis are reported differently. Listeners and counters are notified before the
     * caller.
     */
    void refuse(@Nullable Answer answer, WaitableLock grants) {
        if (!isWaiting()) {
            return;
        }
        lastAnswer = answer;
        if (answer instanceof Answer.Unknown unknown) {
            grants.unavailable(this, unknown.problem());
            completeExceptionally(unknown.problem());
        } else {
            grants.timedOut(this);
            complete(Optional.empty());
        }
    }

    WaitingLock describe(WaitableLock grants, long now) {
        return new WaitingLock(
                grants.lockName(),
                grants.kind(),
                Duration.ofNanos(Math.max(0, now - since)),
                terms.thread().getName());
    }
}
