package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.thread.Acquisition;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A caller that waits for a lock. The room sets its outcome, a lease or a refusal, unless the caller has given up. A lease that comes for a waiter
 * that has given up goes to the next waiter. As a task of a timer, a waiter tells its room that its time is over.
 */
public abstract class Waiter extends Acquisition<HeldLease> implements Runnable {

    /** The value that means a wait without an end. */
    public static final long FOREVER = Long.MAX_VALUE;

    /**
     * Where a waiter is: in a room, or on the way on which it asks without one. Learns what happens to the waiter and in the queue, on any thread.
     */
    public interface Entry {

        /** The answer to a request for the given waiter. */
        void answered(Waiter waiter, Answer answer);

        /** Another request may succeed, or a release has made a grant. */
        void signaled();

        /** The waiter has given up. It has completed its own result. */
        void gaveUp(Waiter waiter);
    }

    /** A room sets the timers of its waiters, so only there can the time of a wait run out. */
    interface Room extends Entry {

        /** The waiter's wait has ended. */
        void deadlinePassed(Waiter waiter);

        /** The time limit has passed for an answer that was pending when the waiter's wait ended. */
        void limitPassed(Waiter waiter);
    }

    private final LeaseTerms terms;
    private final long waitNanos;
    private final long since;
    private final @Nullable String writerOwner;

    /** Where this waiter is. Set before anybody else has the waiter. */
    private @Nullable Entry entry;

    /** The last answer, which this waiter's refusal quotes. Set only by the room. */
    private volatile @Nullable Answer lastAnswer;

    private Timer.@Nullable Timeout deadline;

    /** Whether the wait has ended. */
    boolean overdue;

    /**
     * Creates a waiter.
     *
     * @param waitNanos the length of the wait. Zero or less means one try, and {@link #FOREVER} a wait without an end
     */
    protected Waiter(LeaseTerms terms, long waitNanos, long now, @Nullable String writerOwner) {
        this.terms = terms;
        this.writerOwner = writerOwner;
        this.waitNanos = waitNanos;
        this.since = now;
        this.overdue = waitNanos <= 0;
    }

    /** Derives the hash code from the waiter's own data, so that the order in which rooms are found does not depend on the JVM. */
    @Override
    public final int hashCode() {
        return Long.hashCode(since);
    }

    /** Returns the last answer of Redis that this waiter knows of. It is used for the message that says who held the lock. */
    protected final @Nullable Answer lastAnswer() {
        return lastAnswer;
    }

    /** Returns the length of the wait. */
    protected final long waitNanos() {
        return waitNanos;
    }

    /** Returns when the wait began. */
    public final long since() {
        return since;
    }

    final void enter(Entry entered) {
        entry = entered;
    }

    @Override
    protected final boolean giveUp() {
        boolean left = cancel(false);
        Entry place = entry;
        if (left && place != null) {
            place.gaveUp(this);
        }
        return left;
    }

    /** Sets a timer for the end of the wait. The wait counts from its start, because the first request may already have taken some time. */
    final void setDeadline(Timer timer, Ticker ticker) {
        if (deadline == null && !overdue && waitNanos != FOREVER) {
            deadline = timer.after(waitNanos - (ticker.now() - since), this);
        }
    }

    /**
     * Sets a timer for a wait that has ended while an answer was pending. The answer may lead to another request, so this limit ensures that the call
     * does not take much longer. An answer that arrived while this process stood still is read first.
     */
    final void setLimit(Timer timer, Ticker ticker, long longestAnswerNanos) {
        deadline = timer.afterReading(Math.max(0, waitNanos) + longestAnswerNanos - (ticker.now() - since), this);
    }

    /** Called when the timer has rung. A waiter that is in a room stays there. */
    @Override
    public final void run() {
        Room room = (Room) Objects.requireNonNull(entry);
        if (overdue) {
            room.limitPassed(this);
        } else {
            room.deadlinePassed(this);
        }
    }

    final void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel();
        }
    }

    /** Returns whether the waiter stays after a refusal. */
    public final boolean waits() {
        return waitNanos > 0;
    }

    /** Returns the owner id of the write lock that the waiter's thread holds if it also wants to read, or null. */
    public final @Nullable String writerOwner() {
        return writerOwner;
    }

    /** Returns the terms of the lease that the waiter wants. */
    public final LeaseTerms terms() {
        return terms;
    }

    final boolean isWaiting() {
        return !isDone();
    }

    /**
     * Returns whether a grant that this waiter asked for can become its lease. The waiter may have left, and the request may have found a grant that
     * an unanswered one has brought for another waiter.
     */
    final boolean canUse(Grant grant) {
        return isWaiting() && !terms.isTooLong(grant.leaseNanos());
    }

    /** Ends the wait with a lease. If the waiter has just given up, the lease has no holder; its release finds the next waiter. */
    final void serve(HeldLease lease) {
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
    final void refuse(@Nullable Answer answer) {
        if (!isWaiting()) {
            return;
        }
        lastAnswer = answer;
        if (answer instanceof Answer.Unknown unknown) {
            unavailable(unknown.problem());
            completeExceptionally(unknown.problem());
        } else if (answer instanceof Answer.Busy busy && busy.closed()) {
            completeExceptionally(notYet(busy));
        } else {
            timedOut();
            complete(Optional.empty());
        }
    }

    /** Called when this waiter leaves without the lock because the lock was busy until the end of the wait. */
    protected abstract void timedOut();

    /** Called when this waiter leaves without the lock because it is unknown whether the lock is free. */
    protected abstract void unavailable(Throwable problem);

    /** Returns the exception for a lock that Redis does not grant yet. */
    protected abstract RuntimeException notYet(Answer.Busy refusal);
}
