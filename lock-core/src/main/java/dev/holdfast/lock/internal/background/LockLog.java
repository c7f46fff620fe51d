package dev.holdfast.lock.internal.background;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The library's log. Lines are queued and written by one thread, since a log handler is the application's code: one that takes seconds must not
 * delay a renewal, an event loop or a thread that waits for a monitor. All clients share the thread, which ends when it is idle for a second.
 *
 * <p>At most {@value #MOST_LINES} lines are queued. While a handler is stuck, later ones are dropped, and one line says how many. Lines at DEBUG or
 * below are dropped when half of the queue is full, and are not counted.
 */
public final class LockLog {

    /** The log of the whole library. */
    public static final LockLog LOG = new LockLog(System.getLogger("dev.holdfast.lock"));

    static final int MOST_LINES = 1_000;

    private static final long IDLE_SECONDS = 1;

    private final System.Logger logger;
    private final LinkedBlockingQueue<Runnable> lines = new LinkedBlockingQueue<>(MOST_LINES);
    private final ThreadPoolExecutor writer =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, lines, Threads.shared("holdfast-log"));
    private final AtomicLong leftOut = new AtomicLong();

    LockLog(System.Logger logger) {
        this.logger = logger;
        writer.allowCoreThreadTimeOut(true);
    }

    /** Logs a line. Arguments in the form of {@link System.Logger#log(System.Logger.Level, String, Object...)}. */
    public void log(System.Logger.Level level, String format, @Nullable Object... arguments) {
        queue(level, () -> logger.log(level, format, arguments));
    }

    /** Logs a message as it is, with the stack trace of what was thrown. */
    public void log(System.Logger.Level level, String message, @Nullable Throwable thrown) {
        queue(level, () -> logger.log(level, message, thrown));
    }

    /** Logs a message as it is, braces included. */
    public void log(System.Logger.Level level, String message) {
        queue(level, () -> logger.log(level, message));
    }

    /** Logs a message that is built only if the level is enabled, on the log's own thread. */
    public void log(System.Logger.Level level, Supplier<String> message) {
        queue(level, () -> logger.log(level, message));
    }

    private void queue(System.Logger.Level level, Runnable line) {
        boolean isDetail = level.getSeverity() <= System.Logger.Level.DEBUG.getSeverity();
        if (isDetail && lines.size() >= MOST_LINES / 2) {
            return;
        }
        try {
            writer.execute(() -> write(line));
        } catch (Throwable full) {
            // Or no thread could be started. Logging must not fail.
            if (!isDetail) {
                leftOut.incrementAndGet();
            }
        }
    }

    private void write(Runnable line) {
        run(line);
        long missing = lines.size() < MOST_LINES / 2 ? leftOut.getAndSet(0) : 0;
        if (missing > 0) {
            run(() -> logger.log(
                    System.Logger.Level.WARNING,
                    missing + " log lines were left out: the log handler was too slow to write them"));
        }
    }

    private static void run(Runnable line) {
        try {
            line.run();
        } catch (Throwable broken) {
            // A log handler that throws cannot be reported: it loses its own line.
        }
    }

    /** Waits until the lines that were logged before are written, for at most that time. */
    public void flush(Duration limit) {
        CountDownLatch written = new CountDownLatch(1);
        try {
            writer.execute(written::countDown);
            written.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException full) {
            // The queue is full: the handler is stuck.
        }
    }
}
