package dev.holdfast.lock.simulation;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A timer of a simulated process. It runs on that process's clock, and pauses with the process. */
final class SimulatedTimer extends AbstractExecutorService implements ScheduledExecutorService {

    private final class Task extends FutureTask<@Nullable Void> implements ScheduledFuture<@Nullable Void> {
        private final World.Event event;

        Task(Runnable task, long nanos) {
            super(task, null);
            event = process.world.plan(process, process.inWorldTime(nanos), this::due);
            tasks.add(this);
        }

        private void due() {
            tasks.remove(this);
            run();
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            event.cancel();
            tasks.remove(this);
            return super.cancel(false);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    private final SimulatedProcess process;
    private final Set<Task> tasks = new LinkedHashSet<>();
    private boolean shutDown;

    SimulatedTimer(SimulatedProcess process) {
        this.process = process;
    }

    int pending() {
        return tasks.size();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        if (shutDown) {
            throw new RejectedExecutionException("shut down");
        }
        return new Task(command, unit.toNanos(delay));
    }

    @Override
    public void execute(Runnable command) {
        schedule(command, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutDown = true;
        List.copyOf(tasks).forEach(task -> task.cancel(false));
        return List.of();
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown && tasks.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }
}
