package dev.holdfast.lock.simulation.process;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A timer without a thread. Clients plan single tasks only. */
public abstract class SingleTasks extends AbstractExecutorService implements ScheduledExecutorService {

    private boolean shutDown;

    /** Plans a task for when the time has passed. */
    protected abstract ScheduledFuture<?> plan(Runnable task, long nanos);

    /** Cancels all planned tasks of this timer. */
    protected abstract void cancelAll();

    @Override
    public final ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        if (shutDown) {
            throw new RejectedExecutionException("shut down");
        }
        return plan(task, unit.toNanos(delay));
    }

    @Override
    public final List<Runnable> shutdownNow() {
        shutDown = true;
        cancelAll();
        return List.of();
    }

    @Override
    public final void shutdown() {
        shutDown = true;
    }

    @Override
    public final boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown;
    }

    @Override
    public final boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }

    /** A lambda whose body has a value is such a task. Nobody waits for its result. */
    @Override
    @SuppressWarnings("unchecked") // Nobody reads the result, so its type does not matter.
    public final <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        Runnable step = () -> {
            try {
                task.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        return (ScheduledFuture<V>) schedule(step, delay, unit);
    }

    @Override
    public final ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long delay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public final ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long delay, long pause, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }
}
