package dev.holdfast.lock.testing;

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
 * A clock and a scheduler that stand still until a test moves them. Timed tasks run on the test's thread, in order, each at exactly its time. Counts
 * what is planned: what was cancelled is gone.
 */
public final class VirtualTime extends AbstractExecutorService implements ScheduledExecutorService {

    private final PriorityQueue<Planned<?>> planned = new PriorityQueue<>(
            Comparator.<Planned<?>>comparingLong(task -> task.at).thenComparingLong(task -> task.number));
    private long now = TimeUnit.DAYS.toNanos(1);
    private long lastNumber;

    /** The present moment, in nanoseconds. */
    public synchronized long now() {
        return now;
    }

    /** How many tasks are planned. */
    public synchronized int planned() {
        return planned.size();
    }

    /** Runs what is due within that time, and moves the clock to its end. */
    public void advance(Duration time) {
        long end = now() + time.toNanos();
        for (Planned<?> task = nextUntil(end); task != null; task = nextUntil(end)) {
            task.run();
        }
        synchronized (this) {
            now = end;
        }
    }

    /** Moves the clock as a process sees it that did not run meanwhile; then runs what is overdue. */
    public void stall(Duration time) {
        synchronized (this) {
            now += time.toNanos();
        }
        advance(Duration.ZERO);
    }

    private synchronized Planned<?> nextUntil(long end) {
        if (planned.isEmpty() || planned.peek().at - end > 0) {
            return null;
        }
        Planned<?> next = planned.remove();
        now = Math.max(now, next.at);
        return next;
    }

    @Override
    public synchronized ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        Planned<?> next = new Planned<>(task, now + unit.toNanos(delay), ++lastNumber);
        planned.add(next);
        return next;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long pause, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable task) {
        schedule(task, 0, TimeUnit.NANOSECONDS);
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

    private final class Planned<V> extends FutureTask<V> implements ScheduledFuture<V> {

        private final long at;
        private final long number;

        Planned(Runnable task, long at, long number) {
            super(task, null);
            this.at = at;
            this.number = number;
        }

        @Override
        public boolean cancel(boolean interrupt) {
            synchronized (VirtualTime.this) {
                planned.remove(this);
            }
            return super.cancel(interrupt);
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
}
