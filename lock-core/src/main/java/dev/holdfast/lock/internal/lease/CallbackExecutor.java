package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.log.LockLog;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs listeners and callbacks on threads of their own: never on the watchdog's, never on an event loop. What they throw is logged. */
public final class CallbackExecutor implements AutoCloseable {

    private static final LockLog LOG = LockLog.LOG;

    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 5;
    private static final long BETWEEN_LINES = TimeUnit.SECONDS.toNanos(10);

    private final ThreadPoolExecutor threads;
    private final Ticker ticker;
    private boolean logged;
    private long lastLine;

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

    void onOwnThread(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException closed) {
            // The client is closed, and its listeners have received everything up to its end.
            LOG.log(System.Logger.Level.DEBUG, "An event came after closing", closed);
        }
    }

    /** Whatever the code throws, an Error too, affects neither a lock nor the thread. */
    void run(Runnable code) {
        try {
            code.run();
        } catch (Throwable thrown) {
            LOG.log(
                    mayLog() ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                    "A listener or callback threw; the locks are not affected",
                    thrown);
        }
    }

    /** A listener that throws does so for each event: one line in ten seconds is enough. */
    private synchronized boolean mayLog() {
        long now = ticker.now();
        boolean may = !logged || now - lastLine >= BETWEEN_LINES;
        if (may) {
            logged = true;
            lastLine = now;
        }
        return may;
    }

    /** Waits for running code, for at most a second. */
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
