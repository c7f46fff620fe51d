package dev.holdfast.lock.internal.connection;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A scheduler whose clock a test moves. Tasks run on the thread that moves it. */
final class ManualScheduler extends ScheduledThreadPoolExecutor {

    private final PriorityQueue<Task> planned = new PriorityQueue<>(Comparator.comparingLong((Task task) -> task.due));
    private long now;

    ManualScheduler() {
        super(1, Executors.defaultThreadFactory());
    }

    synchronized long now() {
        return now;
    }

    @Override
    public synchronized ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        Task task = new Task(command, now + unit.toNanos(delay));
        planned.add(task);
        return task;
    }

    void advance(Duration time) {
        long end = now() + time.toNanos();
        for (Task next = next(end); next != null; next = next(end)) {
            next.run();
        }
    }

    private synchronized Task next(long end) {
        Task next = planned.peek();
        if (next == null || next.due > end) {
            now = end;
            return null;
        }
        now = Math.max(now, next.due);
        return planned.poll();
    }

    private static final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {

        private final long due;

        Task(Runnable command, long due) {
            super(command, null);
            this.due = due;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due, other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
