package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.log.LockLog;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs listeners and callbacks, guarded and on threads of their own: never on the watchdog's, never on an event loop. */
public final class CallbackExecutor implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;

    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 5;
    private static final long BETWEEN_COMPLAINTS = TimeUnit.SECONDS.toNanos(10);

    private final ThreadPoolExecutor threads;
    private final Ticker ticker;
    private boolean complained;
    private long lastComplaint;

    public CallbackExecutor(String threadName, Ticker ticker) {
        this.ticker = ticker;
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, threadName + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Sends a task to them. */
    void onOwnThread(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException closed) {
            // The client is closed and its listeners were told to the end: nobody is left to hear this.
            LOG.log(System.Logger.Level.DEBUG, "An event came after closing", closed);
        }
    }

    /** Whatever it throws, an Error too, costs neither a lock nor the thread. */
    void run(Runnable foreign) {
        try {
            foreign.run();
        } catch (Throwable thrown) {
            LOG.log(
                    mayComplain() ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                    "A listener or callback threw; the locks are not affected",
                    thrown);
        }
    }

    /** One that throws at all throws at each event: once in ten seconds says enough. */
    private synchronized boolean mayComplain() {
        long now = ticker.now();
        boolean may = !complained || now - lastComplaint >= BETWEEN_COMPLAINTS;
        if (may) {
            complained = true;
            lastComplaint = now;
        }
        return may;
    }

    /** Lets what is under way come to its end, for a second at the most. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(1, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
