package dev.holdfast.lock.internal.background;

import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs delayed tasks on one thread. An exception that a task throws is logged, and affects neither the thread nor the next task.
 *
 * <p>Thousands of waiters and leases have a task here, and most tasks are canceled. So the scheduler below has only one task: an alarm for the
 * earliest of all tasks, which may ring for nothing after a cancellation. The others are in a binary heap.
 */
public final class Timer implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;

    /** A task that is planned for a moment. */
    public final class Timeout {

        private long at;
        private long number;
        private final Runnable task;
        private final @Nullable Reading reading;
        /** The index in the heap, or a negative value if the task has begun or is canceled. */
        private int index;

        private Timeout(Runnable task, @Nullable Reading reading) {
            this.task = task;
            this.reading = reading;
        }

        private long readingNanos() {
            return reading == null ? 0 : reading.nanos(clock.now() - at >= PauseDetector.WORTH_NOTING);
        }

        /** Cancels the task, unless it has begun. */
        public void cancel() {
            remove(this);
        }

        /** Compares times by their difference, because a monotonic clock may overflow. Tasks for the same moment run in the order of their planning. */
        private boolean isBefore(Timeout other) {
            return at == other.at ? number < other.number : at - other.at < 0;
        }
    }

    private final ScheduledExecutorService executor;
    private final Ticker clock;
    private final boolean owned;
    private Timeout[] heap = new Timeout[16];
    private int size;
    private long planned;
    private @Nullable Future<?> alarm;
    private long alarmAt;

    private Timer(ScheduledExecutorService executor, Ticker clock, boolean owned) {
        this.executor = executor;
        this.clock = clock;
        this.owned = owned;
    }

    /** Creates a timer for one client, with its own thread. */
    public static Timer onThread(String name, Background background) {
        return new Timer(background.timer(name), background::nanoTime, true);
    }

    /**
     * Creates a timer that uses the caller's scheduler and does not shut it down.
     *
     * @param clock the clock by which the scheduler runs
     */
    public static Timer on(ScheduledExecutorService executor, Ticker clock) {
        return new Timer(executor, clock, false);
    }

    /** Runs a task once after a delay. The task must not block. */
    public synchronized Timeout after(long nanos, Runnable task) {
        return plan(new Timeout(task, null), Math.max(0, nanos));
    }

    /**
     * Runs a task once after a delay, when an event loop has had time to {@linkplain Reading read} what arrived until then.
     *
     * @param nanos the delay. A negative value means that the moment has passed already, unnoticed
     */
    public synchronized Timeout afterReading(long nanos, Runnable task) {
        return plan(new Timeout(task, new Reading()), nanos);
    }

    private Timeout plan(Timeout added, long nanos) {
        add(added, nanos);
        setAlarm();
        return added;
    }

    private void add(Timeout added, long nanos) {
        added.at = clock.now() + nanos;
        added.number = planned++;
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        moveUp(size++, added);
    }

    /** Returns the number of tasks that are planned. For tests. */
    public synchronized int pending() {
        return size;
    }

    @SuppressWarnings("NullAway") // Nothing reads the heap beyond its size.
    private synchronized void remove(Timeout removed) {
        int index = removed.index;
        if (index < 0) {
            return;
        }
        removed.index = -1;
        Timeout last = heap[--size];
        heap[size] = null;
        if (last != removed) {
            moveDown(index, last);
            if (last.index == index) {
                moveUp(index, last);
            }
        }
        if (size > 16 && size < heap.length / 4) {
            heap = Arrays.copyOf(heap, heap.length / 2);
        }
    }

    private void moveUp(int from, Timeout moved) {
        int index = from;
        while (index > 0 && moved.isBefore(heap[(index - 1) / 2])) {
            put(index, heap[(index - 1) / 2]);
            index = (index - 1) / 2;
        }
        put(index, moved);
    }

    private void moveDown(int from, Timeout moved) {
        int index = from;
        for (int child = 2 * index + 1; child < size; child = 2 * index + 1) {
            if (child + 1 < size && heap[child + 1].isBefore(heap[child])) {
                child++;
            }
            if (!heap[child].isBefore(moved)) {
                break;
            }
            put(index, heap[child]);
            index = child;
        }
        put(index, moved);
    }

    private void put(int index, Timeout placed) {
        heap[index] = placed;
        placed.index = index;
    }

    private void setAlarm() {
        if (size == 0 || (alarm != null && alarmAt - heap[0].at <= 0)) {
            return;
        }
        if (alarm != null) {
            alarm.cancel(false);
        }
        alarmAt = heap[0].at;
        try {
            alarm = executor.schedule(this::ring, Math.max(0, alarmAt - clock.now()), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            alarm = null;
        }
    }

    private void ring() {
        synchronized (this) {
            alarm = null;
        }
        for (Timeout due = nextDue(); due != null; due = nextDue()) {
            try {
                due.task.run();
            } catch (Throwable thrown) {
                LOG.log(System.Logger.Level.ERROR, "A timed task failed", thrown);
            }
        }
    }

    private synchronized @Nullable Timeout nextDue() {
        while (size > 0 && heap[0].at - clock.now() <= 0) {
            Timeout due = heap[0];
            remove(due);
            long reading = due.readingNanos();
            if (reading == 0) {
                return due;
            }
            add(due, reading);
        }
        setAlarm();
        return null;
    }

    @Override
    public void close() {
        if (owned) {
            executor.shutdownNow();
        }
    }
}
