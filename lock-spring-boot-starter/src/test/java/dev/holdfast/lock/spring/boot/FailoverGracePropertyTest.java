package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.testing.RedisServer;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;
import org.springframework.scheduling.annotation.Scheduled;

/** What {@code holdfast.failover-grace} is to annotated methods. */
class FailoverGracePropertyTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    @Test
    void noPolicyRunsAMethodWithoutItsLockWhileHoldersMaySpeak() {
        try (RedisServer server = RedisServer.start()) {
            Contexts.locked(server)
                    .withPropertyValues("holdfast.failover-grace=5m", "holdfast.wait-time=5s")
                    .withBean(Jobs.class)
                    .run(context -> {
                        context.getBean(LockClient.class)
                                .connected()
                                .toCompletableFuture()
                                .join();
                        RUNS.set(0);
                        Throwable thrown =
                                catchThrowable(() -> context.getBean(Jobs.class).proceeding());

                        assertThat(thrown).isInstanceOf(LockNotYetGrantedException.class);
                        assertThat(RUNS).hasValue(0);
                    });
        }
    }

    @Test
    void tickThatRanDoesNotRunAgainAfterALossOfData() {
        try (RedisServer server = RedisServer.start()) {
            ApplicationContextRunner instance = Contexts.locked(server)
                    .withPropertyValues("holdfast.watchdog-timeout=4s", "holdfast.failover-grace=6s")
                    .withBean(Ticks.class);
            // Redis grants locks at once, which it does not in its first reign either.
            server.cli().set("holdfast:open:" + server.info("replication").get("master_replid"), "1");
            instance.run(first -> instance.run(second -> {
                RUNS.set(0);
                first.getBean(Ticks.class).run();
                assertThat(RUNS).hasValue(1);

                server.restart();
                second.getBean(Ticks.class).run();

                assertThat(RUNS).hasValue(1);
            }));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "lease-time, The lease time of the lock 'job' on",
        "min-hold, The minimum hold of the lock 'job' on",
    })
    void lockThatCouldOutliveTheGraceIsRefusedAtStartup(String setting, String problem) {
        with45Seconds(
                Map.of("holdfast.locks.job." + setting, "31s"),
                context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining(problem)
                        .hasMessageContaining("is 31 s")
                        .hasMessageContaining("holdfast.failover-grace of 45 s allows two thirds"));
    }

    @Test
    void longestLockThatTheGraceAllowsIsAccepted() {
        with45Seconds(
                Map.of("holdfast.lease-time", "30s", "holdfast.min-hold", "30s"),
                context -> assertThat(context).hasNotFailed());
    }

    /** Not on the shared server: clients of other tests would be warned of the grace. */
    private static void with45Seconds(Map<String, Object> settings, Consumer<AssertableApplicationContext> test) {
        try (RedisServer server = RedisServer.start()) {
            Contexts.locked(server)
                    .withInitializer(context -> context.getEnvironment()
                            .getPropertySources()
                            .addFirst(new MapPropertySource("settings", settings)))
                    .withPropertyValues("holdfast.failover-grace=45s")
                    .withBean(Jobs.class)
                    .run(test::accept);
        }
    }

    /** One tick a year. */
    static class Ticks {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick(name = "ticks", waitTime = "1m")
        public void run() {
            RUNS.incrementAndGet();
        }
    }

    static class Jobs {

        @DistributedLock(name = "job", onUnavailable = OnUnavailable.PROCEED)
        public void proceeding() {
            RUNS.incrementAndGet();
        }
    }
}
