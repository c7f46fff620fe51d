package dev.holdfast.lock.internal.log;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The library's log. A line is queued by the thread that has something to say and written by another one, since a log handler is foreign code: one
 * that takes seconds must not delay a renewal, an event loop or whoever waits for a monitor. The one thread is shared by all clients and ends when
 * nothing has been written for a second.
 *
 * <p>At most {@value #MOST_LINES} lines wait. While a handler is stuck, later ones are left out, and one line says how many. Lines at DEBUG or
 * below give way to others: they are left out when half of the queue is taken, and are not counted.
 */
public final class LockLog {

    /** The one that all of the library writes to. */
    public static final LockLog LOG = new LockLog(System.getLogger("dev.holdfast.lock"));

    static final int MOST_LINES = 1_000;

    private static final long IDLE_SECONDS = 1;

    private final System.Logger logger;
    private final LinkedBlockingQueue<Runnable> lines = new LinkedBlockingQueue<>(MOST_LINES);
    private final ThreadPoolExecutor writer =
            new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, lines, LockLog::thread);
    private final AtomicLong leftOut = new AtomicLong();

    LockLog(System.Logger logger) {
        this.logger = logger;
        writer.allowCoreThreadTimeOut(true);
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(null, task, "holdfast-log", 0, false);
        thread.setDaemon(true);
        // Not that of the thread which happens to log first: it may belong to an application that is undeployed later.
        thread.setContextClassLoader(LockLog.class.getClassLoader());
        return thread;
    }

    /** Logs a line. Arguments in the form of {@link System.Logger#log(System.Logger.Level, String, Object...)}. */
    public void log(System.Logger.Level level, String format, @Nullable Object... arguments) {
        queue(level, () -> logger.log(level, format, arguments));
    }

    /** Logs a message as it is, with the stack trace of what was thrown. */
    public void log(System.Logger.Level level, String message, @Nullable Throwable thrown) {
        queue(level, () -> logger.log(level, message, thrown));
    }

    /** Logs a message as it is, whatever braces it has. */
    public void log(System.Logger.Level level, String message) {
        queue(level, () -> logger.log(level, message));
    }

    /** Logs a message that is only built where the level is enabled, on the log's own thread. */
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
            // Or no thread could be started. Nobody who logs may fail for that.
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
            // A log handler that throws is nobody's to report to: it costs its own line.
        }
    }

    /** Waits until the lines that were logged before are written, at most for that time. */
    public void flush(Duration limit) {
        CountDownLatch written = new CountDownLatch(1);
        try {
            writer.execute(written::countDown);
            written.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException full) {
            // A handler that is stuck with so many lines before it is not waited for.
        }
    }
}
