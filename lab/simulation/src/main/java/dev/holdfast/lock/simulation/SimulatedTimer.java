package dev.holdfast.lock.simulation;

import dev.holdfast.lock.simulation.process.SingleTasks;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A timer of a simulated process. It runs on that process's clock, and pauses with the process. */
final class SimulatedTimer extends SingleTasks {

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

    SimulatedTimer(SimulatedProcess process) {
        this.process = process;
    }

    int pending() {
        return tasks.size();
    }

    @Override
    protected ScheduledFuture<?> plan(Runnable task, long nanos) {
        return new Task(task, nanos);
    }

    @Override
    public void execute(Runnable command) {
        schedule(command, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    protected void cancelAll() {
        List.copyOf(tasks).forEach(task -> task.cancel(false));
    }

    @Override
    public boolean isTerminated() {
        return isShutdown() && tasks.isEmpty();
    }
}
