package dev.holdfast.lock.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log handler runs on the log's own thread and costs nothing but lines. */
@Timeout(Await.TEST_SECONDS)
class LockLogTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    private final Handler handler = new Handler();
    private final LockLog log = new LockLog(handler);

    @AfterEach
    void letGo() {
        handler.goOn.countDown();
    }

    @Test
    void linesAreWrittenInOrderOnAThreadOfTheirOwn() {
        handler.goOn.countDown();

        log.log(Level.WARNING, "plain {0}");
        log.log(Level.WARNING, "with {0}", "an argument");
        log.log(Level.INFO, () -> "supplied");
        log.log(Level.ERROR, "thrown", new IllegalStateException("reason"));
        log.flush(PATIENCE);

        assertThat(handler.lines).containsExactly("plain {0}", "with an argument", "supplied", "thrown: reason");
        assertThat(handler.threads).containsOnly("holdfast-log");
    }

    @Test
    void handlerThatIsStuckDelaysNobodyAndOneLineSaysHowManyWereLeftOut() {
        log.log(Level.WARNING, "stuck");
        handler.awaitStuck();
        for (int i = 0; i < LockLog.MOST_LINES + 70; i++) {
            log.log(Level.WARNING, "line");
        }
        log.flush(PATIENCE);

        handler.goOn.countDown();

        Await.until(
                "the note is written",
                PATIENCE,
                () -> handler.lines.contains("70 log lines were left out: the log handler was too slow to write them"));
        log.flush(PATIENCE);
        assertThat(handler.lines).filteredOn("line"::equals).hasSize(LockLog.MOST_LINES);
        assertThat(handler.lines).filteredOn(line -> line.contains("left out")).hasSize(1);
    }

    @Test
    void detailsGiveWayToWarningsAndAreNotMissed() {
        log.log(Level.WARNING, "stuck");
        handler.awaitStuck();
        for (int i = 0; i < 2 * LockLog.MOST_LINES; i++) {
            log.log(Level.DEBUG, "detail");
        }
        log.log(Level.WARNING, "behind the details");

        handler.goOn.countDown();
        log.flush(PATIENCE);

        assertThat(handler.lines).contains("behind the details").noneMatch(line -> line.contains("left out"));
    }

    @Test
    void handlerThatThrowsCostsItsOwnLineOnly() {
        handler.goOn.countDown();

        log.log(Level.WARNING, "broken");
        log.log(Level.WARNING, "sound");
        log.flush(PATIENCE);

        assertThat(handler.lines).containsExactly("sound");
    }

    /** Is stuck with its first line until told to go on. */
    private static final class Handler implements System.Logger {

        private final CountDownLatch stuck = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final List<String> lines = new CopyOnWriteArrayList<>();
        private final List<String> threads = new CopyOnWriteArrayList<>();

        void awaitStuck() {
            Await.until("the handler is stuck", PATIENCE, () -> stuck.getCount() == 0);
        }

        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
            write(thrown == null ? message : message + ": " + thrown.getMessage());
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, Object... arguments) {
            write(arguments == null || arguments.length == 0 ? format : MessageFormat.format(format, arguments));
        }

        private void write(String line) {
            stuck.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (line.equals("broken")) {
                throw new IllegalStateException("a handler that throws");
            }
            threads.add(Thread.currentThread().getName());
            lines.add(line);
        }
    }
}
