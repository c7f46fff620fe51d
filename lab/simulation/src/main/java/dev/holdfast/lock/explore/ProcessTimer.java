package dev.holdfast.lock.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A timer of a process. Its tasks are due at times of the situation's clock. */
final class ProcessTimer extends AbstractExecutorService implements ScheduledExecutorService {

    /** A planned task. */
    static final class Task implements ScheduledFuture<Object> {
        final long at;
        private final Runnable body;
        private final ProcessTimer timer;
        private boolean over;

        private Task(Runnable body, long at, ProcessTimer timer) {
            this.body = body;
            this.at = at;
            this.timer = timer;
        }

        void run() {
            over = true;
            timer.process.planned.remove(this);
            body.run();
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            over = true;
            return timer.process.planned.remove(this);
        }

        @Override
        public boolean isCancelled() {
            return over;
        }

        @Override
        public boolean isDone() {
            return over;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - timer.process.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public Object get() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object get(long limit, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }

    private final ClientProcess process;
    private boolean shutDown;

    ProcessTimer(ClientProcess process) {
        this.process = process;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        if (shutDown) {
            throw new RejectedExecutionException("shut down");
        }
        Task task = new Task(command, process.nanoTime() + Math.max(0, unit.toNanos(delay)), this);
        List<Task> planned = process.planned;
        int position = planned.size();
        while (position > 0 && planned.get(position - 1).at > task.at) {
            position--;
        }
        planned.add(position, task);
        return task;
    }

    @Override
    public void execute(Runnable command) {
        process.execute(command);
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutDown = true;
        for (Task task : new ArrayList<>(process.planned)) {
            if (task.timer == this) {
                task.cancel(false);
            }
        }
        return List.of();
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutDown;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }
}
