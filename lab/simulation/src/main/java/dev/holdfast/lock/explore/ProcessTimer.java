package dev.holdfast.lock.explore;

import dev.holdfast.lock.simulation.process.SingleTasks;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A timer of a process. Its tasks are due at times of the situation's clock. */
final class ProcessTimer extends SingleTasks {

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

    ProcessTimer(ClientProcess process) {
        this.process = process;
    }

    @Override
    protected ScheduledFuture<?> plan(Runnable body, long nanos) {
        Task task = new Task(body, process.nanoTime() + Math.max(0, nanos), this);
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
    protected void cancelAll() {
        for (Task task : List.copyOf(process.planned)) {
            if (task.timer == this) {
                task.cancel(false);
            }
        }
    }
}
