package dev.holdfast.lock.test;

import dev.holdfast.lock.test.VirtualClock.Task;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The scheduler of the lock clients on a virtual clock. They plan single tasks only. */
final class VirtualScheduler extends AbstractExecutorService implements ScheduledExecutorService {

    private record Planned(Task task) implements ScheduledFuture<@Nullable Void> {

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(task.nanosLeft(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            return task.cancel(mayInterrupt);
        }

        @Override
        public boolean isCancelled() {
            return task.isCancelled();
        }

        @Override
        public boolean isDone() {
            return task.isDone();
        }

        @Override
        public @Nullable Void get() throws InterruptedException, ExecutionException {
            return task.get();
        }

        @Override
        public @Nullable Void get(long time, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            return task.get(time, unit);
        }
    }

    private final VirtualClock clock;

    VirtualScheduler(VirtualClock clock) {
        this.clock = clock;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return new Planned(clock.plan(task, delay, unit));
    }

    @Override
    public void execute(Runnable task) {
        clock.plan(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long delay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long delay, long pause, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return false;
    }
}
