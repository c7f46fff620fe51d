package dev.holdfast.lock.test;

import dev.holdfast.lock.test.VirtualClock.Task;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The scheduler of the lock clients on a virtual clock. The clients plan single tasks only. */
final class VirtualScheduler extends AbstractExecutorService implements ScheduledExecutorService {

    private record Planned<V extends @Nullable Object>(Task task, FutureTask<V> result) implements ScheduledFuture<V> {

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
            task.cancel(mayInterrupt);
            return result.cancel(mayInterrupt);
        }

        @Override
        public boolean isCancelled() {
            return result.isCancelled();
        }

        @Override
        public boolean isDone() {
            return result.isDone();
        }

        @Override
        public V get() throws InterruptedException, ExecutionException {
            return result.get();
        }

        @Override
        public V get(long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
            return result.get(time, unit);
        }
    }

    /** Plans a task on a virtual clock. */
    @FunctionalInterface
    interface Planner {
        Task plan(Runnable task, long delay, TimeUnit unit);
    }

    private final Planner clock;
    private final Consumer<Throwable> failures;

    VirtualScheduler(Planner clock) {
        this(clock, failure -> {});
    }

    /**
     * Creates a scheduler on a clock.
     *
     * @param failures receives the failure of each planned task that fails
     */
    VirtualScheduler(Planner clock, Consumer<Throwable> failures) {
        this.clock = clock;
        this.failures = failures;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return schedule(Executors.callable(task), delay, unit);
    }

    @Override
    public void execute(Runnable task) {
        schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        FutureTask<V> result = new FutureTask<>(task) {
            @Override
            protected void setException(Throwable failure) {
                super.setException(failure);
                failures.accept(failure);
            }
        };
        return new Planned<>(clock.plan(result, delay, unit), result);
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
