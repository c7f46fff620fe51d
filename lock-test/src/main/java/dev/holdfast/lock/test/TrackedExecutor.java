package dev.holdfast.lock.test;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs each callback of the code under test on its own thread, and knows when all callbacks are complete. */
final class TrackedExecutor implements Executor {

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "holdfast-test-callback");
        thread.setDaemon(true);
        return thread;
    });

    private int running;
    private final Set<Thread> threads = new HashSet<>();

    @Override
    public void execute(Runnable task) {
        begin();
        THREADS.execute(() -> {
            begun();
            try {
                task.run();
            } finally {
                end();
            }
        });
    }

    /** Returns whether each running callback itself waits for a lock. */
    synchronized boolean areBlocked(BlockedCallers blocked) {
        return threads.size() == running && threads.stream().allMatch(blocked::isBlocked);
    }

    private synchronized void begun() {
        threads.add(Thread.currentThread());
    }

    private synchronized void begin() {
        running++;
    }

    private synchronized void end() {
        running--;
        threads.remove(Thread.currentThread());
        notifyAll();
    }

    /**
     * Waits until no callback runs, for a limited time, because a callback may itself wait for something. Counts short waits, so that a suspended
     * process uses up only one of them.
     */
    synchronized void awaitIdle(int waits) {
        try {
            for (int i = 0; running > 0 && i < waits; i++) {
                wait(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
