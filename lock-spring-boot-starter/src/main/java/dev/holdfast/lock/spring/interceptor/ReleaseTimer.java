package dev.holdfast.lock.spring.interceptor;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Ends the wait for a release. The JDK's own timer thread never ends, and keeps the class loader of its first user. */
final class ReleaseTimer {

    private static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, ReleaseTimer::thread);

    static {
        THREAD.setKeepAliveTime(1, TimeUnit.SECONDS);
        THREAD.allowCoreThreadTimeOut(true);
        THREAD.setRemoveOnCancelPolicy(true);
    }

    private ReleaseTimer() {}

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, "holdfast-release-timer", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(ReleaseTimer.class.getClassLoader());
        return thread;
    }

    /** Completes the future with null after the limit, unless it is complete by then. */
    static <T> CompletableFuture<@Nullable T> limit(CompletableFuture<@Nullable T> wait, Duration limit) {
        Future<?> timeout = THREAD.schedule(() -> wait.complete(null), limit.toNanos(), TimeUnit.NANOSECONDS);
        return wait.whenComplete((done, failure) -> timeout.cancel(false));
    }
}
