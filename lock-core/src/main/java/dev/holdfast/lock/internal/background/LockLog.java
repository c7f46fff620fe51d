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
 * The log of the library. Lines are queued and written by a separate thread, because a log handler belongs to the application: a handler that takes
 * seconds must not delay a renewal, an event loop or a thread that waits for a monitor. All clients share this thread. It ends after an idle second.
 *
 * <p>At most {@value #MOST_LINES} lines are queued. While a handler is stuck, further lines are dropped, and a line later says how many. Lines at
 * level DEBUG or below are already dropped when half of the queue is full, and are not counted.
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

    /** Logs a line. The format and arguments are those of {@link System.Logger#log(System.Logger.Level, String, Object...)}. */
    public void log(System.Logger.Level level, String format, @Nullable Object... arguments) {
        queue(level, () -> logger.log(level, format, arguments));
    }

    /** Logs a message without parameters, and the stack trace of an exception. */
    public void log(System.Logger.Level level, String message, @Nullable Throwable thrown) {
        queue(level, () -> logger.log(level, message, thrown));
    }

    /** Logs a message without parameters. It may contain braces. */
    public void log(System.Logger.Level level, String message) {
        queue(level, () -> logger.log(level, message));
    }

    /** Logs a message that is built on the log's own thread, and only if the level is enabled. */
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
            // The queue is full, or no thread could be started. Logging must not fail.
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
            // The failure of a log handler cannot be logged. Only the handler's own line is lost.
        }
    }

    /** Waits until the lines that were logged before this call are written, for at most the given time. */
    public void flush(Duration limit) {
        CountDownLatch written = new CountDownLatch(1);
        try {
            writer.execute(written::countDown);
            written.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException full) {
            // The queue is full because the log handler is stuck.
        }
    }
}
