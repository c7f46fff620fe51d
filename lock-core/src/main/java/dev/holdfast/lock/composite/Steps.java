package dev.holdfast.lock.composite;

import dev.holdfast.lock.internal.log.LockLog;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The one thread on which all composite locks take their steps. A step asks members, counts answers or completes a future, and never blocks. So state
 * that only steps use needs no lock. No caller's code runs here. The thread ends when it is idle.
 */
final class Steps {

    private static final LockLog LOG = LockLog.LOG;
    private static final long IDLE_SECONDS = 1;
    private static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, Steps::thread);

    static {
        THREAD.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        THREAD.allowCoreThreadTimeOut(true);
        THREAD.setRemoveOnCancelPolicy(true);
    }

    private Steps() {}

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, "holdfast-composites", 0, false);
        thread.setDaemon(true);
        // Not that of the first caller: it may belong to an application that is undeployed later.
        thread.setContextClassLoader(Steps.class.getClassLoader());
        return thread;
    }

    static void run(Runnable step) {
        THREAD.execute(() -> guard(step));
    }

    /** Takes a step later, unless the returned future is canceled before. */
    static Future<?> after(long nanos, Runnable step) {
        return THREAD.schedule(() -> guard(step), Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    /** Takes a step once the stage is complete. */
    static <T> void when(CompletionStage<? extends T> answer, BiConsumer<T, @Nullable Throwable> step) {
        answer.whenComplete((value, failure) -> run(() -> step.accept(value, failure)));
    }

    private static void guard(Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.ERROR, "A step of a lock made of locks failed", thrown);
        }
    }
}
