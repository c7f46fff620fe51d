package dev.holdfast.lock.composite;

import dev.holdfast.lock.internal.background.Failures;
import dev.holdfast.lock.internal.background.LockLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The single thread on which all composite locks take their steps. A step sends requests to members, counts answers or completes a future, and never
 * blocks. So state that only steps use needs no lock. No caller's code runs on this thread. The thread ends when it is idle.
 */
final class CompositeExecutor {

    private static final LockLog LOG = LockLog.LOG;

    private final ScheduledExecutorService thread;

    CompositeExecutor(ScheduledExecutorService thread) {
        this.thread = thread;
    }

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
}
