package dev.holdfast.lock.testing;

import dev.holdfast.lock.internal.background.LockLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the library writes to its log while this is open. */
public final class LogLines implements AutoCloseable {

    private static final Logger LOGGER = Logger.getLogger("dev.holdfast.lock");

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            records.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private LogLines() {
        LOGGER.addHandler(handler);
    }

    public static LogLines record() {
        return new LogLines();
    }

    /** Lines as they would be printed, at INFO or above; without their stack traces. */
    public List<String> lines() {
        awaitWritten();
        List<String> lines = new ArrayList<>();
        for (LogRecord entry : records) {
            if (entry.getLevel().intValue() >= Level.INFO.intValue()) {
                lines.add(new SimpleFormatter().formatMessage(entry));
            }
        }
        return lines;
    }

    /** The stack traces behind lines that contain a text. */
    public List<Throwable> tracesOf(String text) {
        awaitWritten();
        return records.stream()
                .filter(entry -> entry.getMessage().contains(text) && entry.getThrown() != null)
                .map(LogRecord::getThrown)
                .toList();
    }

    public List<String> warningsThat(Predicate<String> matches) {
        awaitWritten();
        return records.stream()
                .filter(entry -> entry.getLevel() == Level.WARNING)
                .map(entry -> new SimpleFormatter().formatMessage(entry))
                .filter(matches)
                .toList();
    }

    /** Lines are written on a thread of their own: what was logged by now is to be seen. */
    private static void awaitWritten() {
        LockLog.LOG.flush(PATIENCE);
    }

    @Override
    public void close() {
        LOGGER.removeHandler(handler);
    }
}
