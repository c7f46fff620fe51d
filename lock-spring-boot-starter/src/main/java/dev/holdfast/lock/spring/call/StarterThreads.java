package dev.holdfast.lock.spring.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Threads that keep nothing alive, and one that limits waits. The JDK's own timer thread never ends, and keeps the class loader of its first user. */
public final class StarterThreads {

    private static final ScheduledThreadPoolExecutor THREAD =
            new ScheduledThreadPoolExecutor(1, work -> daemon(work, "holdfast-wait-limits"));

    static {
        THREAD.setKeepAliveTime(1, TimeUnit.SECONDS);
        THREAD.allowCoreThreadTimeOut(true);
        THREAD.setRemoveOnCancelPolicy(true);
    }

    private StarterThreads() {}

    /** Creates a thread that keeps neither the JVM alive nor anything of the thread that caused it. */
    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(null, work, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(StarterThreads.class.getClassLoader());
        return thread;
    }

    /** Returns an executor for steps that block. Each has a thread of its own, on which what follows it may run application code. */
    public static Executor threadFor(String name) {
        return work -> daemon(work, name).start();
    }

    /** Completes the future with null when the limit has passed, unless it is already complete. */
    public static <T> CompletableFuture<@Nullable T> limit(CompletableFuture<@Nullable T> wait, Duration limit) {
        Future<?> timeout = THREAD.schedule(() -> wait.complete(null), limit.toNanos(), TimeUnit.NANOSECONDS);
        return wait.whenComplete((done, failure) -> timeout.cancel(false));
    }
}
