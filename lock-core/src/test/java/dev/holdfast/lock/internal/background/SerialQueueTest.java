package dev.holdfast.lock.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SerialQueueTest {

    private static final class Tasks extends SerialQueue {

        private final Executor ownThreads;

        Tasks(Executor ownThreads) {
            this.ownThreads = ownThreads;
        }

        @Override
        protected void handle(Runnable task) {
            task.run();
        }

        @Override
        protected Executor ownThreads() {
            return ownThreads;
        }
    }

    private final List<Runnable> later = new ArrayList<>();
    private final SerialQueue queue = new Tasks(later::add);
    private final List<String> ran = new ArrayList<>();

    @Test
    void taskPostedByATaskRunsBehindIt() {
        queue.post(() -> {
            queue.post(() -> ran.add("inner"));
            ran.add("outer");
        });

        assertThat(ran).containsExactly("outer", "inner");
    }

    @Test
    void taskThatThrowsDoesNotStopThoseBehindIt() {
        queue.post(() -> {
            queue.post(() -> ran.add("behind"));
            throw new StackOverflowError("the poster's stack was nearly full");
        });
        queue.post(() -> ran.add("later"));

        assertThat(ran).containsExactly("behind", "later");
    }

    /** Posts so many tasks while one of them is being run, as callers on other threads would. */
    private void postAtOnce(SerialQueue target, int tasks) {
        target.post(() -> {
            for (int i = 1; i < tasks; i++) {
                target.post(() -> ran.add("other"));
            }
            ran.add("own");
        });
    }

    @Test
    void ownThreadsGoOnInOrderAndTakeTurnsToo() {
        postAtOnce(queue, 3 * SerialQueue.MOST_AT_ONCE);
        queue.post(() -> ran.add("last"));

        for (int i = 0; i < later.size(); i++) {
            later.get(i).run();
        }

        assertThat(later).hasSize(3);
        assertThat(ran).hasSize(3 * SerialQueue.MOST_AT_ONCE + 1).endsWith("last");
        queue.post(() -> ran.add("on the poster's own thread again"));
        assertThat(ran).endsWith("on the poster's own thread again");
    }

    @Test
    void callDoesTheWorkWhereThereAreNoOtherThreadsAnyMore() {
        SerialQueue closing = new Tasks(task -> {
            throw new RejectedExecutionException("closed");
        });

        postAtOnce(closing, 10 * SerialQueue.MOST_AT_ONCE);

        assertThat(ran).hasSize(10 * SerialQueue.MOST_AT_ONCE);
    }
}
