package dev.holdfast.lock.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.spring.declaration.FeatureSettings;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.FixedFeatures;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/** The line of a call that returns without having run its method. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SkippedCallTest {

    private static final FeatureSettings LOGGED =
            new FeatureSettings(List.of(new SkipLogSettings.OfLock(true)), List.of());

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(SkippedCall.class);
    private static final ListAppender<ILoggingEvent> LOG = new ListAppender<>();

    private static LockClient other;
    private static LockClient own;
    private static AnnotationConfigApplicationContext context;

    /** Withholds the answers to requests for a holder until it is zero. */
    private static volatile CountDownLatch answer = new CountDownLatch(0);

    @BeforeAll
    static void start() {
        LOG.list = new CopyOnWriteArrayList<>();
        LOG.start();
        LOGGER.addAppender(LOG);
        // The tests' own settings keep it quiet.
        LOGGER.setLevel(Level.INFO);
        String prefix = UUID.randomUUID() + ":";
        other = client(prefix, "the other one");
        own = client(prefix, "this one");
        context = new AnnotationConfigApplicationContext();
        context.registerBean("locks", LockClient.class, SkippedCallTest::slowToInspect);
        context.registerBean(
                LockSettings.Source.class, () -> new FixedFeatures("logged", LOGGED, FeatureSettings.NONE));
        context.register(LockInterceptionConfiguration.class, Jobs.class);
        context.refresh();
    }

    private static LockClient client(String prefix, String name) {
        LockClient client = RedisLockClient.builder(
                        RedisSource.of(RedisServer.shared().uri()))
                .keyPrefix(prefix)
                .clientName(name)
                .checkAtStart(false)
                .build();
        client.connected().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        return client;
    }

    private static LockClient slowToInspect() {
        return (LockClient) Proxy.newProxyInstance(
                LockClient.class.getClassLoader(), new Class<?>[] {LockClient.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("inspect")) {
                        answer.await();
                    }
                    try {
                        return method.invoke(own, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    @BeforeEach
    void clear() {
        LOG.list.clear();
    }

    @AfterAll
    static void stop() {
        LOGGER.setLevel(null);
        LOGGER.detachAppender(LOG);
        context.close();
        own.close();
        other.close();
    }

    @Test
    void namesTheMethodAndTheHolder() {
        try (Lease lease = other.getLock("logged").acquire()) {
            jobs().skip("a", 1);
            awaitLine("Skipped " + Jobs.class.getName() + ".skip(java.lang.String,int): "
                    + "lock 'logged' is held by 'the other one' since 20");
            assertThat(lease.isHeld()).isTrue();
        }
        assertThat(lines()).hasSize(1).allMatch(line -> line.startsWith("INFO "));
    }

    @Test
    void skipNeitherWaitsForTheHoldersNameNorFailsWithoutIt() {
        answer = new CountDownLatch(1);
        try (Lease lease = other.getLock("logged").acquire()) {
            for (int i = 0; i < 100; i++) {
                jobs().skip("a", 1);
            }
            assertThat(lines()).hasSizeGreaterThan(50).allMatch(line -> line.endsWith("lock 'logged' was busy"));
            assertThat(lease.isHeld()).isTrue();
            answer.countDown();
            Await.until("each has a line", Await.PATIENCE, () -> lines().size() == 100);
            awaitLine("is held by 'the other one'");
        } finally {
            answer.countDown();
        }
    }

    @Test
    void callThatAFallbackAnswersIsSkippedToo() {
        try (Lease lease = other.getLock("logged").acquire()) {
            assertThat(jobs().answered()).isEqualTo("later");
            awaitLine(".answered(): lock 'logged' is held by 'the other one'");
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void callThatThrowsIsNot() {
        try (Lease lease = other.getLock("logged").acquire()) {
            assertThatThrownBy(() -> jobs().refused()).isInstanceOf(LockNotAcquiredException.class);
            jobs().skip("a", 1);
            awaitLine(".skip(");
            assertThat(lines()).noneMatch(line -> line.contains("refused"));
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void nothingIsLoggedUnlessItIsAskedFor() {
        try (Lease quiet = other.getLock("quiet").acquire();
                Lease logged = other.getLock("logged").acquire()) {
            jobs().quiet();
            jobs().skip("a", 1);
            awaitLine("Skipped ");
            assertThat(lines()).noneMatch(line -> line.contains("quiet"));
            assertThat(List.of(quiet, logged)).allMatch(Lease::isHeld);
        }
    }

    @Test
    void tickThatHasRunIsNamed() {
        try (Locked app = new Locked(
                instance -> instance.registerBean(
                        LockSettings.Source.class, () -> new FixedFeatures("ticks", LOGGED, FeatureSettings.NONE)),
                Ticking.class)) {
            app.bean(Ticking.class).run();
            app.bean(Ticking.class).run();
        }
        awaitLine(".run(): the tick 20");
        awaitLine("of lock 'ticks' has run already");
    }

    @Test
    void skipWithoutRedisSaysWhy() {
        try (RedisServer server = RedisServer.start();
                Locked app = new Locked(
                        server,
                        instance -> instance.registerBean(
                                LockSettings.Source.class,
                                () -> new FixedFeatures("logged", LOGGED, FeatureSettings.NONE)),
                        Jobs.class)) {
            server.kill();
            app.bean(Jobs.class).skipWithoutRedis();
        }
        assertThat(lines())
                .hasSize(1)
                .allMatch(line -> line.contains("skipWithoutRedis(): ") && line.contains("unavailable"));
    }

    private static Jobs jobs() {
        return context.getBean(Jobs.class);
    }

    private static void awaitLine(String part) {
        Await.until("a line has " + part, Await.PATIENCE, () -> lines().stream().anyMatch(line -> line.contains(part)));
    }

    private static List<String> lines() {
        return List.copyOf(LOG.list).stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
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
        @DistributedLock(name = "ticks", oncePerTick = true)
        public void run() {}
    }
}
