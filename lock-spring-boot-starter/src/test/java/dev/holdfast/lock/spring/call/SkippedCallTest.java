package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.RedisServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;

/** The line of a call that returns without having run its method. */
class SkippedCallTest {

    private static final String SKIPPED = "dev.holdfast.lock.skipped";

    private final Logger all = (Logger) LoggerFactory.getLogger(SKIPPED);
    private final Logger quiet = (Logger) LoggerFactory.getLogger(SKIPPED + ".quiet");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        all.addAppender(log);
        all.setLevel(Level.DEBUG);
        quiet.setLevel(Level.INFO);
    }

    @AfterEach
    void stop() {
        all.detachAppender(log);
        all.setLevel(null);
        quiet.setLevel(null);
    }

    @Test
    void namesTheMethodAndTheLock() {
        whileBusy("logged", jobs -> jobs.skip("a", 1));
        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("DEBUG " + SKIPPED + ".logged Skipped " + Jobs.class.getName()
                        + ".skip(java.lang.String,int): Lock 'logged' was not acquired within ");
    }

    @Test
    void callThatAFallbackAnswersIsSkippedToo() {
        whileBusy("logged", jobs -> assertThat(jobs.answered()).isEqualTo("later"));
        assertThat(lines()).singleElement().asString().contains(".answered(): Lock 'logged' was not acquired");
    }

    @Test
    void callThatThrowsIsNot() {
        whileBusy("logged", jobs -> assertThatThrownBy(jobs::refused).isInstanceOf(LockNotAcquiredException.class));
        assertThat(lines()).isEmpty();
    }

    @Test
    void lineIsWrittenOnlyAtTheLevelOfItsLock() {
        whileBusy("quiet", Jobs::quiet);
        assertThat(lines()).isEmpty();
        quiet.setLevel(Level.DEBUG);
        whileBusy("quiet", Jobs::quiet);
        assertThat(lines()).singleElement().asString().contains(".quiet(): Lock 'quiet'");
    }

    @Test
    void tickThatHasRunIsNamed() {
        try (Locked app = Locked.application(Ticking.class)) {
            app.bean(Ticking.class).run();
            app.bean(Ticking.class).run();
        }
        assertThat(lines())
                .singleElement()
                .asString()
                .contains(".run(): the tick 20")
                .endsWith("of lock 'ticks' has run already");
    }

    @Test
    void skipWithoutRedisSaysWhy() {
        try (RedisServer server = RedisServer.start();
                Locked app = new Locked(server, context -> {}, Jobs.class)) {
            server.kill();
            app.bean(Jobs.class).skipWithoutRedis();
        }
        assertThat(lines()).singleElement().asString().contains("skipWithoutRedis(): ", "unavailable");
    }

    /** Makes a call while somebody else has its lock. */
    private static void whileBusy(String lockName, Consumer<Jobs> call) {
        try (Locked app = Locked.application(Jobs.class);
                Lease held = app.locks().getLock(lockName).acquire()) {
            call.accept(app.bean(Jobs.class));
            assertThat(held.isHeld()).isTrue();
        }
    }

    private List<String> lines() {
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getLoggerName() + " " + event.getFormattedMessage())
                .toList();
    }

    static class Jobs {

        @DistributedLock(name = "logged", onBusy = OnBusy.SKIP)
        public void skip(String text, int number) {
            throw new AssertionError("ran");
        }

        @DistributedLock(name = "logged", fallback = "later")
        public String answered() {
            return "ran";
        }

        String later() {
            return "later";
        }

        @DistributedLock(name = "logged", waitTime = "0")
        public void refused() {}

        @DistributedLock(name = "quiet", onBusy = OnBusy.SKIP)
        public void quiet() {}

        @DistributedLock(name = "logged", waitTime = "0", onUnavailable = OnUnavailable.SKIP)
        public void skipWithoutRedis() {}
    }

    static class Ticking {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("ticks")
        public void run() {}
    }
}
