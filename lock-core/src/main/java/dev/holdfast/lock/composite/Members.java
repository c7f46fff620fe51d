package dev.holdfast.lock.composite;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Failures;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.thread.LibraryLock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The locks of which a composite lock is made, its name, and the thread on which it takes its steps. Its acquisitions and leases share them.
 *
 * <p>All composite locks take their steps on one thread. A step sends requests to members, counts answers or completes a future, and never blocks. So
 * state that only steps use needs no lock. No caller's code runs on this thread. The thread ends when it is idle.
 */
final class Members {

    private static final LockLog LOG = LockLog.LOG;

    final String name;
    final List<LibraryLock> locks;
    final Background background;

    private final ScheduledExecutorService thread;

    Members(String name, List<LibraryLock> locks) {
        this.name = name;
        this.locks = locks;
        this.background = locks.get(0).background();
        this.thread = background.compositeSteps();
    }

    /** Takes a step. */
    void run(Runnable step) {
        thread.execute(() -> guard(step));
    }

    /** Schedules a step. Canceling the returned future prevents the step. */
    Future<?> after(long nanos, Runnable step) {
        return thread.schedule(() -> guard(step), Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    /** Sends a request to a member. Runs the given step with the answer or the failure. */
    <T> CompletableFuture<T> ask(Supplier<CompletableFuture<T>> request, BiConsumer<T, @Nullable Throwable> step) {
        CompletableFuture<T> answer;
        try {
            answer = request.get();
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((value, failure) -> run(() -> step.accept(value, Failures.unwrapped(failure))));
        return answer;
    }

    private static void guard(Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.ERROR, "A step of a lock made of locks failed", thrown);
        }
    }

    static LibraryLock member(LeaseLock lock) {
        return LibraryLock.of(lock, "a part of another lock");
    }

    LibraryLock first() {
        return locks.get(0);
    }

    /** Returns how many members are a majority. */
    int majority() {
        return locks.size() / 2 + 1;
    }

    /** Returns how many members a majority can do without. */
    int spare() {
        return locks.size() - majority();
    }

    void tell(LockEvent event) {
        first().tell(event);
    }

    Executor callbacks() {
        return first().callbacks();
    }

    /**
     * Asks the given parts one after another, and returns whether at least the needed number said yes.
     *
     * @param all whether to ask all parts, or only until the remaining parts cannot change the result
     * @throws LockUnavailableException if the parts that did not answer could change the result
     */
    <P> boolean areEnough(List<P> parts, int needed, boolean all, Predicate<P> condition) {
        int yes = 0;
        int no = 0;
        int spare = parts.size() - needed;
        List<LockUnavailableException> silent = new ArrayList<>();
        for (P part : parts) {
            if (!all && (yes >= needed || no > spare)) {
                break;
            }
            try {
                if (condition.test(part)) {
                    yes++;
                } else {
                    no++;
                }
            } catch (LockUnavailableException down) {
                silent.add(down);
            }
        }
        if (yes >= needed || no > spare) {
            return yes >= needed;
        }
        LockUnavailableException whole = new LockUnavailableException(
                name,
                "Lock '" + LogText.escape(name) + "' is unavailable: only " + (yes + no) + " of its " + parts.size()
                        + " parts replied, " + needed + " are needed",
                silent.get(0));
        silent.stream().skip(1).forEach(whole::addSuppressed);
        throw whole;
    }
}
