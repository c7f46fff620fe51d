package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A thread that does what it is told, one thing after the other. */
final class Actor implements AutoCloseable {

    /** Something to do that gives nothing back. */
    @FunctionalInterface
    interface Deed {
        void run() throws Exception;
    }

    private final LinkedBlockingQueue<Runnable> script = new LinkedBlockingQueue<>();
    private final Thread thread = new Thread(this::play, "actor");

    Actor() {
        thread.setDaemon(true);
        thread.start();
    }

    private void play() {
        try {
            while (true) {
                script.take().run();
            }
        } catch (InterruptedException e) {
            // Dismissed.
        }
    }

    Thread thread() {
        return thread;
    }

    /**
     * Waits until it sleeps on a semaphore, which is where a Redisson client waits for messages. What is published after it has subscribed and
     * before it sleeps, it drops if it is a message for all.
     */
    void awaitAsleep() {
        Await.until(
                "the other library's waiter sleeps",
                Stage.PATIENCE,
                () -> Arrays.stream(thread.getStackTrace())
                                .anyMatch(frame -> frame.getClassName().equals(Semaphore.class.getName()))
                        && thread.getState() == Thread.State.TIMED_WAITING);
    }

    /** Tells it to begin; ends with what comes of it. */
    <T> CompletableFuture<T> begins(Callable<T> deed) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        script.add(() -> {
            try {
                outcome.complete(deed.call());
            } catch (Throwable e) {
                outcome.completeExceptionally(e);
            } finally {
                Thread.interrupted();
            }
        });
        return outcome;
    }

    /** Tells it to do something and waits until it is done; throws what it threw. */
    <T> T does(Callable<T> deed) throws Exception {
        return outcome(begins(deed));
    }

    void runs(Deed deed) throws Exception {
        does(() -> {
            deed.run();
            return true;
        });
    }

    static <T> T outcome(CompletableFuture<T> outcome) throws Exception {
        return outcome(outcome, Stage.PATIENCE);
    }

    static <T> T outcome(CompletableFuture<T> outcome, Duration patience) throws Exception {
        try {
            return outcome.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception thrown) {
                throw thrown;
            }
            throw new AssertionError("The actor failed", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("Nothing came of it within " + patience, e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
