package dev.holdfast.lock.internal.background;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs delayed tasks on one thread. An exception that a task throws is logged, and affects neither the thread nor the next task. */
public final class Timer implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;
    private static final Timeout NEVER = () -> {};

    /** A scheduled task. */
    @FunctionalInterface
    public interface Timeout {

        /** Cancels the task, unless it has begun. */
        void cancel();
    }

    private final ScheduledExecutorService executor;
    private final boolean owned;

    private Timer(ScheduledExecutorService executor, boolean owned) {
        this.executor = executor;
        this.owned = owned;
    }

    /** Creates a timer with its own thread. */
    public static Timer onThread(String name) {
        return onThread(name, Background.SYSTEM);
    }

    /** Creates a timer for one client. */
    public static Timer onThread(String name, Background background) {
        return new Timer(background.timer(name), true);
    }

    /** Creates a timer that uses the caller's scheduler and does not shut it down. */
    public static Timer on(ScheduledExecutorService executor) {
        return new Timer(executor, false);
    }

    /** Runs a task once after a delay. The task must not block. */
    public Timeout after(long nanos, Runnable task) {
        try {
            Future<?> planned = executor.schedule(() -> guard(task), Math.max(0, nanos), TimeUnit.NANOSECONDS);
            return () -> planned.cancel(false);
        } catch (RejectedExecutionException closed) {
            return NEVER;
        }
    }

    private static void guard(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            LOG.log(System.Logger.Level.ERROR, "A timed task failed", thrown);
        }
    }

    @Override
    public void close() {
        if (owned) {
            executor.shutdownNow();
        }
    }
}
