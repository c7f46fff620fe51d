package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who wants a lock. Its result is settled once: by the room with a lease or a refusal, or by the waiter itself, which gives up by
 * cancelling it. A lease that comes for a waiter that has gone goes to the next one.
 */
public final class Waiter {

    /** Stands for a wait without end. */
    public static final long FOREVER = Long.MAX_VALUE;

    private final LeaseTerms terms;
    private final long waitNanos;
    private final long since;
    private final @Nullable String beside;
    private final CompletableFuture<Optional<HeldLease>> result = new CompletableFuture<>();

    /** Set by the room only. The last answer that this waiter's refusal is to quote. */
    private @Nullable Answer lastAnswer;

    private Timer.@Nullable Timeout deadline;

    boolean overdue;

    /**
     * Creates a waiter.
     *
     * @param terms the lease it wants
     * @param waitNanos how long it waits: none or less tries once, {@link #FOREVER} has no end
     * @param now the present moment
     */
    public Waiter(LeaseTerms terms, long waitNanos, long now) {
        this(terms, waitNanos, now, null);
    }

    /**
     * Creates a waiter that has a part of the lock already.
     *
     * @param terms the lease it wants
     * @param waitNanos how long it waits: none or less tries once, {@link #FOREVER} has no end
     * @param now the present moment
     * @param beside what the waiter has, in its source's words; null if nothing
     */
    public Waiter(LeaseTerms terms, long waitNanos, long now, @Nullable String beside) {
        this.terms = terms;
        this.beside = beside;
        this.waitNanos = waitNanos;
        this.since = now;
        this.overdue = waitNanos <= 0;
    }

    /** The lease; empty if busy to the end; a failure if nobody knows; cancelled if the waiter gave up. */
    public CompletableFuture<Optional<HeldLease>> result() {
        return result;
    }

    /** What Redis said last, for the message: who held the lock, as far as this waiter learnt. */
    public synchronized @Nullable Answer lastAnswer() {
        return lastAnswer;
    }

    synchronized void heard(@Nullable Answer answer) {
        lastAnswer = answer;
    }

    /** When the wait began. */
    public long since() {
        return since;
    }

    /** Rings once when the wait is over, counted from its start: the first question may have taken a while already. */
    void setDeadline(Timer timer, Ticker ticker, Runnable onDeadline) {
        if (deadline == null && !overdue && waitNanos != FOREVER) {
            deadline = timer.after(waitNanos - (ticker.now() - since), onDeadline);
        }
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

    /** What it has of the lock already, in its source's words. */
    public @Nullable String beside() {
        return beside;
    }

    /** The lease that it wants. */
    public LeaseTerms terms() {
        return terms;
    }

    boolean isWaiting() {
        return !result.isDone();
    }
}
