package dev.holdfast.lock.test;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes only when somebody lets it. What is planned runs on the thread that lets time pass, in the order of its times, each at exactly
 * its time.
 */
final class VirtualClock {

    /** Something that is planned. */
    final class Task extends FutureTask<@Nullable Void> {

        private final long at;
        private final long number;

        private Task(Runnable task, long at, long number) {
            super(task, null);
            this.at = at;
            this.number = number;
        }

        long nanosLeft() {
            return at - now();
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            synchronized (tasks) {
                tasks.remove(this);
            }
            return super.cancel(mayInterrupt);
        }
    }

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.<Task>comparingLong(task -> task.at).thenComparingLong(task -> task.number));

    /** Held by the thread that moves the clock. */
    private final ReentrantLock moving = new ReentrantLock();

    private final Executor soon;
    private final long start = TimeUnit.DAYS.toNanos(1);
    private volatile long now = start;
    private long numbers;

    /**
     * A clock that stands still.
     *
     * @param soon runs what is planned without a delay
     */
    VirtualClock(Executor soon) {
        this.soon = soon;
    }

    long now() {
        return now;
    }

    /** How much time has passed since the clock was made. */
    Duration passed() {
        return Duration.ofNanos(now - start);
    }

    ScheduledExecutorService scheduler() {
        return new VirtualScheduler(this);
    }

    Task plan(Runnable task, long delay, TimeUnit unit) {
        Task planned;
        synchronized (tasks) {
            planned = new Task(task, now + Math.max(0, unit.toNanos(delay)), numbers++);
            if (delay > 0) {
                tasks.add(planned);
            }
        }
        if (delay <= 0) {
            soon.execute(planned);
        }
        return planned;
    }

    /**
     * Lets time pass.
     *
     * @param time how long
     * @param afterEach called after each task, at its time
     */
    void advance(Duration time, Runnable afterEach) {
        moving.lock();
        try {
            long end = now + time.toNanos();
            while (runNext(end)) {
                afterEach.run();
            }
            now = end;
        } finally {
            moving.unlock();
        }
    }

    /** Goes on to the next planned task and runs it. Returns false if there is none, or the clock is being moved already. */
    boolean jump(Runnable afterwards) {
        if (!moving.tryLock()) {
            return false;
        }
        try {
            boolean ran = runNext(Long.MAX_VALUE);
            afterwards.run();
            return ran;
        } finally {
            moving.unlock();
        }
    }

    private boolean runNext(long end) {
        Task next;
        synchronized (tasks) {
            next = tasks.peek();
            if (next == null || next.at - end > 0) {
                return false;
            }
            tasks.remove(next);
            now = Math.max(now, next.at);
        }
        next.run();
        return true;
    }
}
