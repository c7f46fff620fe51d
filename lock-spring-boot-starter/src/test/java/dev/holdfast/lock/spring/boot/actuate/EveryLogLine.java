package dev.holdfast.lock.spring.boot.actuate;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** What all loggers of the process write at INFO and above while this is open, as an application without any settings would have it. */
final class EveryLogLine implements AutoCloseable {

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Map<Logger, Level> levels = new LinkedHashMap<>();
    private final Logger root;

    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getLoggerName() + ": " + event.getFormattedMessage());
        }
    };

    private EveryLogLine() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        appender.setContext(context);
        appender.start();
        root.addAppender(appender);
        // The tests' own settings keep some of them quiet.
        context.getLoggerList().stream()
                .filter(logger -> logger.getLevel() != null)
                .forEach(logger -> {
                    levels.put(logger, logger.getLevel());
                    logger.setLevel(Level.INFO);
                });
    }

    static EveryLogLine record() {
        return new EveryLogLine();
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        root.detachAppender(appender);
        appender.stop();
        levels.forEach(Logger::setLevel);
    }
}
