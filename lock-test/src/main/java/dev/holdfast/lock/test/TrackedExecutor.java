package dev.holdfast.lock.test;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs the callbacks of the code under test, each on a thread of its own, and knows when all are done. */
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

    /** Whether each callback that runs waits for a lock itself. */
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
     * Waits until no callback runs, but not for ever: a callback may itself wait for something. Counts short waits, so that a process that stands
     * still in between costs one of them.
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
