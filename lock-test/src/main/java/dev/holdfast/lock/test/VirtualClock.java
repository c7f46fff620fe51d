package dev.holdfast.lock.test;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A clock whose time passes only on request. Planned tasks run on the thread that lets time pass, in the order of their times, each exactly at its
 * time.
 */
final class VirtualClock {

    /** A planned task. */
    final class Task extends FutureTask<@Nullable Void> {

        private final long at;
        private final long number;
        private final Predicate<Task> mayRun;

        private Task(Runnable task, long at, long number, Predicate<Task> mayRun) {
            super(task, null);
            this.at = at;
            this.number = number;
            this.mayRun = mayRun;
        }

        @Override
        public void run() {
            if (mayRun.test(this)) {
                super.run();
            }
        }

        long nanosLeft() {
            return at - now;
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

    /** The number of times that each thread has read the clock. Guarded by {@link #tasks}, like the clock. */
    private final Map<Thread, Long> readers = new WeakHashMap<>();

    /** Locked while a thread moves the clock. */
    private final ReentrantLock moving = new ReentrantLock();

    private final Executor soon;
    private final long start = TimeUnit.DAYS.toNanos(1);
    private volatile long now = start;
    private long numbers;

    /**
     * Creates a clock that stands still.
     *
     * @param soon runs tasks that are planned without a delay
     */
    VirtualClock(Executor soon) {
        this.soon = soon;
    }

    /** Returns the time, and records the reading thread. Everything that a client does with time begins with a call of this method. */
    long now() {
        synchronized (tasks) {
            readers.merge(Thread.currentThread(), 1L, Long::sum);
            return now;
        }
    }

    /** Returns whether another thread that has read the clock matches the predicate. */
    boolean hasReaders(Predicate<Thread> such) {
        synchronized (tasks) {
            return readers.keySet().stream().anyMatch(reader -> reader != Thread.currentThread() && such.test(reader));
        }
    }

    /** Forgets the matching threads that have read the clock, unless they read it again meanwhile. */
    void forgetReaders(Predicate<Thread> which) {
        Map<Thread, Long> seen;
        synchronized (tasks) {
            seen = new HashMap<>(readers);
        }
        seen.keySet().removeIf(which.negate());
        synchronized (tasks) {
            seen.forEach(readers::remove);
        }
    }

    /** Returns the time that has passed since the clock was created. */
    Duration passed() {
        return Duration.ofNanos(now - start);
    }

    ScheduledExecutorService scheduler() {
        return new VirtualScheduler(this::plan);
    }

    Task plan(Runnable task, long delay, TimeUnit unit) {
        return plan(task, delay, unit, planned -> true);
    }

    /**
     * Plans a task that may be deferred.
     *
     * @param mayRun called when the task is due. If it returns false, it keeps the task, to run it later or never.
     */
    Task plan(Runnable task, long delay, TimeUnit unit, Predicate<Task> mayRun) {
        Task planned;
        synchronized (tasks) {
            planned = new Task(task, now + Math.max(0, unit.toNanos(delay)), numbers++, mayRun);
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
     * @param time how much time passes
     * @param afterEach called after each task, at its time
     */
    void advance(Duration time, Runnable afterEach) {
        moving.lock();
        try {
            long end = now + time.toNanos();
            for (Task next = takeNext(end); next != null; next = takeNext(end)) {
                next.run();
                afterEach.run();
            }
            now = end;
        } finally {
            moving.unlock();
        }
    }

    /** Returns whether the calling thread moves the clock. */
    boolean isMovedHere() {
        return moving.isHeldByCurrentThread();
    }

    /** The result of {@link #jump}. */
    enum Jump {
        DONE,
        NOTHING_PLANNED,
        REFUSED
    }

    /**
     * Advances the clock to the next planned task and runs that task, unless the clock is already being moved.
     *
     * @param keeps matches threads that keep the clock from moving if they have read it
     */
    Jump jump(Predicate<Thread> keeps, Runnable afterwards) {
        if (!moving.tryLock()) {
            return Jump.REFUSED;
        }
        try {
            Task next;
            synchronized (tasks) {
                if (hasReaders(keeps)) {
                    return Jump.REFUSED;
                }
                next = takeNext(Long.MAX_VALUE);
            }
            if (next == null) {
                return Jump.NOTHING_PLANNED;
            }
            next.run();
            afterwards.run();
            return Jump.DONE;
        } finally {
            moving.unlock();
        }
    }

    private @Nullable Task takeNext(long end) {
        synchronized (tasks) {
            Task next = tasks.peek();
            if (next == null || next.at - end > 0) {
                return null;
            }
            tasks.remove(next);
            now = Math.max(now, next.at);
            return next;
        }
    }
}
