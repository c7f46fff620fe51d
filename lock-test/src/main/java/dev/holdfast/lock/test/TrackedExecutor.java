package dev.holdfast.lock.test;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Runs the callbacks of the code under test, each on a thread of its own, and knows when all are done. */
final class TrackedExecutor implements Executor {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "holdfast-test-callback");
        thread.setDaemon(true);
        return thread;
    });

    private int running;

    @Override
    public void execute(Runnable task) {
        begin();
        THREADS.execute(() -> {
            try {
                task.run();
            } finally {
                end();
            }
        });
    }

    private synchronized void begin() {
        running++;
    }

    private synchronized void end() {
        running--;
        notifyAll();
    }

    /** Waits until no callback runs, for at most that long in real time: a callback may itself wait for something. */
    synchronized void awaitIdle(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (long left = millis;
                    running > 0 && left > 0;
                    left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
