package dev.holdfast.lock.internal.lease;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A scheduler whose tasks run when a test says so, on the thread that says it. */
public final class TasksByHand extends AbstractExecutorService implements ScheduledExecutorService {

    private static final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {

        Task(Runnable task) {
            super(task, null);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    private final Queue<Task> planned = new ConcurrentLinkedQueue<>();

    /** Runs what is planned now, and nothing that it plans. */
    public void run() {
        Task[] now = planned.toArray(Task[]::new);
        for (Task task : now) {
            if (planned.remove(task)) {
                task.run();
            }
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        Task task = new Task(command);
        planned.add(task);
        return task;
    }

    @Override
    public void execute(Runnable command) {
        command.run();
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long delay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {
        planned.clear();
    }

    @Override
    public List<Runnable> shutdownNow() {
        planned.clear();
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
        return true;
    }
}
