package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;

/** A scheduler of which the test is the clock: it fires tasks, and runs what is due once. */
final class HandScheduler implements TaskScheduler {

    private final ScheduledThreadPoolExecutor never = new ScheduledThreadPoolExecutor(0);
    private final List<Runnable> tasks = new ArrayList<>();
    private final BlockingQueue<Once> due = new LinkedBlockingQueue<>();

    private record Once(Runnable task, ScheduledFuture<?> future) {}

    /** Fires the task of a method on a thread of its own, as at a tick. */
    CompletableFuture<Void> fire(String method) {
        return OwnThread.run(tasks.stream()
                .filter(task -> task.toString().endsWith("." + method))
                .findFirst()
                .orElseThrow());
    }

    /** Runs what is to run once, within the patience of those who wait for a thread. */
    void runDue() throws Exception {
        Once next = due.poll(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("Nothing is due");
        }
        if (!next.future().isCancelled()) {
            OwnThread.run(next.task()).get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private ScheduledFuture<?> future() {
        return never.schedule(() -> {}, 1, TimeUnit.DAYS);
    }

    private ScheduledFuture<?> repeated(Runnable task) {
        tasks.add(task);
        return future();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
        Once once = new Once(task, future());
        due.add(once);
        return once.future();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
        return repeated(task);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
        return repeated(task);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
        return repeated(task);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
        return repeated(task);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
        return repeated(task);
    }
}
