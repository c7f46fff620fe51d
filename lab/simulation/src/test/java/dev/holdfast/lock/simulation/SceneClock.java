package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.simulation.process.SingleTasks;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Time that passes only when a {@link Scene} says so. Planned tasks run on the thread that lets it pass. */
final class SceneClock extends SingleTasks implements Ticker {

    private final PriorityQueue<Task> tasks = new PriorityQueue<>(Comparator.comparingLong(task -> task.at));
    private long now = TimeUnit.DAYS.toNanos(1);

    private final class Task extends FutureTask<@Nullable Void> implements ScheduledFuture<@Nullable Void> {

        private final long at;

        private Task(Runnable task, long at) {
            super(task, null);
            this.at = at;
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            remove(this);
            return super.cancel(mayInterrupt);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - now(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(at, ((Task) other).at);
        }
    }

    @Override
    public synchronized long now() {
        return now;
    }

    @Override
    protected synchronized ScheduledFuture<?> plan(Runnable task, long nanos) {
        Task planned = new Task(task, now + nanos);
        tasks.add(planned);
        return planned;
    }

    @Override
    public void execute(Runnable task) {
        plan(task, 0);
    }

    private synchronized void remove(Task canceled) {
        tasks.remove(canceled);
    }

    @Override
    protected synchronized void cancelAll() {
        tasks.clear();
    }

    void advance(Duration time) {
        long end = now() + time.toNanos();
        for (Task due = nextUntil(end); due != null; due = nextUntil(end)) {
            due.run();
        }
    }

    /** Returns the next task that is due until then, and moves the clock there, or to the end if there is none. */
    private synchronized @Nullable Task nextUntil(long end) {
        Task next = tasks.peek();
        if (next == null || next.at > end) {
            now = Math.max(now, end);
            return null;
        }
        now = Math.max(now, next.at);
        return tasks.remove();
    }
}
