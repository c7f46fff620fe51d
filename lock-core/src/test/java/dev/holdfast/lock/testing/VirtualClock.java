package dev.holdfast.lock.testing;

import dev.holdfast.lock.internal.background.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Time that passes only when a test says so. Tasks run on the thread that lets time pass, in the order of their times, each at exactly its
 * time. Any thread may plan and cancel tasks.
 */
public final class VirtualClock implements Ticker {

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.<Task>comparingLong(task -> task.at).thenComparingLong(task -> task.number));
    private long now = TimeUnit.DAYS.toNanos(1);
    private long numbers;

    @Override
    public synchronized long now() {
        return now;
    }

    /** Lets time pass, and runs what is due on the way. */
    public void advance(Duration time) {
        long end = now() + time.toNanos();
        for (Task task = nextUntil(end); task != null; task = nextUntil(end)) {
            task.run();
        }
        synchronized (this) {
            now = Math.max(now, end);
        }
    }

    /** Moves the clock as a process sees it that did not run meanwhile, then runs what is overdue. */
    public void stall(Duration time) {
        synchronized (this) {
            now += time.toNanos();
        }
        advance(Duration.ZERO);
    }

    private synchronized Task nextUntil(long end) {
        if (tasks.isEmpty() || tasks.peek().at - end > 0) {
            return null;
        }
        Task next = tasks.remove();
        now = Math.max(now, next.at);
        return next;
    }

    /** Runs a task once that time has passed. */
    public void after(Duration time, Runnable task) {
        plan(null, time.toNanos(), task);
    }

    private synchronized Task plan(Scheduler owner, long nanos, Runnable task) {
        Task planned = new Task(owner, nanos, task);
        tasks.add(planned);
        return planned;
    }

    /** A scheduler on this clock that knows its own tasks. */
    public Scheduler scheduler() {
        return new Scheduler();
    }

    private final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {

        private final Scheduler owner;
        private final long at;
        private final long number = numbers++;

        Task(Scheduler owner, long nanos, Runnable task) {
            super(task, null);
            this.owner = owner;
            this.at = now + Math.max(0, nanos);
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            synchronized (VirtualClock.this) {
                tasks.remove(this);
            }
            return super.cancel(mayInterrupt);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - now(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    /** Schedules tasks on the virtual clock. */
    public final class Scheduler extends AbstractExecutorService implements ScheduledExecutorService {

        private Scheduler() {}

        /** How many tasks are planned and not canceled. */
        public int pending() {
            synchronized (VirtualClock.this) {
                return (int) tasks.stream().filter(task -> task.owner == this).count();
            }
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return plan(this, unit.toNanos(delay), task);
        }

        @Override
        public void execute(Runnable task) {
            schedule(task, 0, TimeUnit.NANOSECONDS);
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
}
