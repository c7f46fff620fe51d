package dev.holdfast.lock.internal.background;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs tasks later on one thread. A task that throws is logged and affects neither the thread nor the next task. */
public final class Timer implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;
    private static final Timeout NEVER = () -> {};

    /** A planned task. */
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

    /** A timer with its own thread. */
    public static Timer onThread(String name) {
        return onThread(name, Background.SYSTEM);
    }

    /** A timer of one client. */
    public static Timer onThread(String name, Background background) {
        return new Timer(background.timer(name), true);
    }

    /** A timer on a scheduler of the caller's, which is not shut down. */
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
