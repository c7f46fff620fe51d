package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockStatistics;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.boot.actuate.LockHealthIndicator.RecentLosses;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What the health of locks is, by what Redis does and what became of leases. */
@ExtendWith(OutputCaptureExtension.class)
class LockHealthIndicatorTest {

    private static final Duration TIMEOUT = Duration.ofMillis(400);

    private static final Duration LIMIT = Await.PATIENCE;

    private static final Duration WATCHDOG = Duration.ofSeconds(30);

    private final RecentLosses losses = new RecentLosses(Duration.ofMinutes(5));

    private LockClient client(RedisServer server) {
        return RedisLockClient.builder(RedisSource.of(server.uri()))
                .checkAtStart(false)
                .watchdogTimeout(WATCHDOG)
                .listener(losses)
                .build();
    }

    /** One that would wait far longer for an answer than health may. */
    private static LockClient patientClient(FaultProxy proxy) {
        return RedisLockClient.builder(RedisSource.of(proxy.uri()))
                .checkAtStart(false)
                .commandTimeout(Duration.ofMinutes(5))
                .build();
    }

    private LockHealthIndicator indicator(LockClient client, Duration timeout) {
        return new LockHealthIndicator(client, losses, Map::of, timeout, WATCHDOG);
    }

    @Test
    void healthIsUpAndTellsWhatAnOperatorAsksFirst() {
        try (LockClient client = client(RedisServer.shared());
                Lease held = client.getLock("health-" + UUID.randomUUID()).acquire()) {
            // Who has just acquired may still be counted among those who wait.
            Await.until("nobody waits", LIMIT, () -> client.statistics().waiting() == 0);
            Health health = indicator(client, Duration.ofSeconds(20)).health();
            assertThat(held.isHeld()).isTrue();
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry(
                            "version", RedisServer.shared().info("server").get("redis_version"))
                    .containsEntry("topology", "standalone")
                    .containsEntry("held", 1)
                    .containsEntry("waiting", 0)
                    .containsEntry("renewalLag", Duration.ZERO)
                    .hasEntrySatisfying(
                            "roundTrip", time -> assertThat((Duration) time).isPositive());
        }
    }

    @Test
    void healthIsDownInTimeWhileRedisHangsAndUpAfterwards() {
        try (FaultProxy proxy = FaultProxy.to(RedisServer.shared().port());
                LockClient client = patientClient(proxy)) {
            LockHealthIndicator indicator = indicator(client, TIMEOUT);
            Await.until(
                    "health is up", LIMIT, () -> indicator.health().getStatus().equals(Status.UP));
            proxy.blackHole();
            for (int i = 0; i < 3; i++) {
                assertDown(indicator);
            }
            proxy.heal();
            Await.until(
                    "health is up again",
                    LIMIT,
                    () -> indicator.health().getStatus().equals(Status.UP));
        }
    }

    @Test
    void whileRedisHangsAllWhoAskShareOneQuestionAndEachIsAnsweredInTime() {
        try (FaultProxy proxy = FaultProxy.to(RedisServer.shared().port());
                LockClient client = patientClient(proxy)) {
            LockHealthIndicator indicator = indicator(client, TIMEOUT);
            proxy.blackHole();
            assertThat(Stream.generate(() -> CompletableFuture.runAsync(
                                    () -> assertDown(indicator), task -> new Thread(task).start()))
                            .limit(20)
                            .toList())
                    .allSatisfy(asked -> assertThat(asked).succeedsWithin(LIMIT));
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().equals("holdfast-health"))
                    .hasSizeLessThan(5);
            proxy.heal();
        }
    }

    private static void assertDown(LockHealthIndicator indicator) {
        Health health = indicator.health();
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails())
                .containsEntry("held", 0)
                .containsEntry("error", "Redis did not reply within " + LogText.time(TIMEOUT));
    }

    @Test
    void healthOfAStoppedRedisIsDownInTimeAndLogsNothing(CapturedOutput output) {
        try (RedisServer server = RedisServer.start();
                LockClient client = client(server)) {
            LockHealthIndicator indicator = indicator(client, TIMEOUT);
            server.stop();
            for (int i = 0; i < 10; i++) {
                assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
            }
            // The client says once that its connection is gone; the questions say nothing.
            assertThat(output.toString().lines().filter(line -> line.contains("holdfast")))
                    .hasSizeLessThan(5);
        }
    }

    @Test
    void closingTheClientIsNoLossThatCounts() {
        try (LockClient client = client(RedisServer.shared())) {
            Lease lease = client.getLock("health-" + UUID.randomUUID()).acquire();
            assertThat(lease.isHeld()).isTrue();
        }
        assertThat(losses.now()).isEmpty();
    }

    @Test
    void lossIsForgottenWhenTheWindowIsOver() {
        long[] now = {0};
        RecentLosses recent = new RecentLosses(Duration.ofSeconds(10), () -> now[0]);
        recent.onLost(new dev.holdfast.lock.LeaseLoss(
                "lock",
                dev.holdfast.lock.LockKind.REENTRANT,
                1,
                dev.holdfast.lock.LossCause.GONE,
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                "gone"));
        now[0] = Duration.ofSeconds(9).toNanos();
        assertThat(recent.now()).hasSize(1);
        now[0] = Duration.ofSeconds(11).toNanos();
        assertThat(recent.now()).isEmpty();
    }

    @Test
    void healthIsDegradedWhenRenewalsAreAThirdOfTheWatchdogTimeLate() {
        assertThat(statusWith(Duration.ofSeconds(10))).isEqualTo(Status.UP);
        assertThat(statusWith(Duration.ofSeconds(11))).isEqualTo(LockHealthIndicator.DEGRADED);
    }

    private Status statusWith(Duration renewalLag) {
        LockClient client = mock(LockClient.class);
        when(client.statistics())
                .thenReturn(new LockStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, renewalLag, 0, 0));
        when(client.inspect(anyString())).thenReturn(Optional.empty());
        when(client.selfCheck())
                .thenReturn(CompletableFuture.completedFuture(
                        new SelfCheck("Redis", "7.0", "standalone", "", List.of(), Map.of())));
        return indicator(client, Duration.ofSeconds(20)).health().getStatus();
    }
}
