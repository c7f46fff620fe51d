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
 * A caller that wants a lock, and its result, which is settled once: by the room with a lease or a refusal, or by the caller, who gives up by
 * canceling it. A lease that comes for a waiter that has gone goes to the next one.
 */
public final class Waiter extends CompletableFuture<Optional<HeldLease>> {

    /** Stands for a wait without end. */
    public static final long FOREVER = Long.MAX_VALUE;

    private final LeaseTerms terms;
    private final long waitNanos;
    private final long since;
    private final @Nullable String writerOwner;

    /** Set by the room only. The last answer that this waiter's refusal is to quote. */
    private volatile @Nullable Answer lastAnswer;

    private Timer.@Nullable Timeout deadline;

    /** Whether its time is over. */
    boolean overdue;

    /** Its neighbors among the {@link Waiters} of its room. */
    @Nullable
    Waiter before;

    @Nullable
    Waiter behind;

    /**
     * Creates a waiter.
     *
     * @param waitNanos how long it waits: none or less tries once, {@link #FOREVER} has no end
     */
    public Waiter(LeaseTerms terms, long waitNanos, long now, @Nullable String writerOwner) {
        this.terms = terms;
        this.writerOwner = writerOwner;
        this.waitNanos = waitNanos;
        this.since = now;
        this.overdue = waitNanos <= 0;
    }

    /** By what it was given: the order in which rooms are found must not depend on the JVM. */
    @Override
    public int hashCode() {
        return Long.hashCode(since);
    }

    /** The lease; empty if busy to the end; a failure if nobody knows; cancelled if the waiter gave up. */
    public CompletableFuture<Optional<HeldLease>> result() {
        return this;
    }

    /** What Redis said last, for the message: who held the lock, as far as this waiter learnt. */
    public @Nullable Answer lastAnswer() {
        return lastAnswer;
    }

    /** When the wait began. */
    public long since() {
        return since;
    }

    /** Rings once when the wait is over, counted from its start: the first request may have taken a while already. */
    void setDeadline(Timer timer, Ticker ticker, Runnable onDeadline) {
        if (deadline == null && !overdue && waitNanos != FOREVER) {
            deadline = timer.after(waitNanos - (ticker.now() - since), onDeadline);
        }
    }

    /** Rings where an answer that the end of the wait left to decide has led to another request, so that no call takes much longer. */
    void setLimit(Timer timer, Ticker ticker, long longestAnswerNanos, Runnable onLimit) {
        deadline = timer.after(Math.max(0, waitNanos) + longestAnswerNanos - (ticker.now() - since), onLimit);
    }

    void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel();
        }
    }

    /** Whether it stays when refused. */
    public boolean waits() {
        return waitNanos > 0;
    }

    /** The owner id of the write lock that its thread holds, where it asks to read as well; null if none. */
    public @Nullable String writerOwner() {
        return writerOwner;
    }

    /** The lease that it wants. */
    public LeaseTerms terms() {
        return terms;
    }

    boolean isWaiting() {
        return !isDone();
    }

    /** Whether a grant to this waiter can be its lease as it is. */
    boolean canUse(Grant grant) {
        return grant.leaseNanos() >= terms.leaseNanos();
    }

    /** Ends the wait with a lease. Where the waiter gave up just now, the lease is nobody's: its release finds the next waiter. */
    void serve(HeldLease lease) {
        boolean served = complete(Optional.of(lease));
        lease.begun();
        if (!served) {
            lease.releaseAsync();
        }
    }

    /** Ends the wait without one: busy and unavailable are different answers. Listeners and counters have it before the caller does. */
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
