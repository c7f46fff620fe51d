package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Leases and waits that make no sense are refused before anything is sent; long ones are simply long. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class BadTimesTest {

    private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);

    private static RedisServer server;
    private static LockClient client;
    private static LeaseLock lock;
    private static Lease lease;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        // Nothing that it holds is renewed meanwhile, however long that is: a renewal would be a command.
        client = Waits.client(server).watchdogTimeout(Duration.ofHours(1)).build();
        lock = client.getLock("timed");
        lease = client.getLock("held").acquire();
        client.getLock("warm").tryLock();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    static Stream<Duration> badLeases() {
        return Stream.of(
                null,
                Duration.ZERO,
                Duration.ofNanos(500_000),
                Duration.ofMillis(10).minusNanos(1),
                Duration.ofMillis(-1),
                Duration.ofHours(24).plusNanos(1),
                ENDLESS,
                Duration.ofSeconds(Long.MIN_VALUE));
    }

    private static Map<String, Long> commands() {
        Map<String, Long> stats = server.commandStats();
        stats.remove("info");
        return stats;
    }

    private static void refused(ThrowingConsumer<Duration> entry, Duration value, String what) {
        Map<String, Long> before = commands();
        assertThatThrownBy(() -> entry.accept(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'" + what + "'", String.valueOf(value));
        assertThat(commands()).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("badLeases")
    void badLeaseIsRefusedByEveryWayIn(Duration bad) {
        List<ThrowingConsumer<Duration>> waysIn = List.of(
                lock::lock,
                value -> lock.tryLock(Duration.ZERO, value),
                value -> AcquireOptions.defaults().lease(value),
                lease::extend);
        waysIn.forEach(way -> refused(way, bad, "lease"));
        refused(value -> Waits.client(server).watchdogTimeout(value), bad, "watchdogTimeout");
    }

    @Test
    void missingArgumentsAreRefusedByEveryWayIn() {
        Map<String, List<ThrowingConsumer<Duration>>> waysIn = Map.of(
                "wait",
                List.of(
                        value -> lock.tryLock(value),
                        value -> lock.tryLock(value, Duration.ofSeconds(1)),
                        value -> AcquireOptions.defaults().waitAtMost(value)),
                "unit",
                List.of(value -> lock.tryLock(1, null)),
                "options",
                List.of(
                        value -> lock.acquire(null),
                        value -> lock.tryAcquire(null),
                        value -> lock.acquireAsync(null),
                        value -> lock.tryAcquireAsync(null)));
        waysIn.forEach((what, ways) -> ways.forEach(way -> refused(way, null, what)));
    }

    @Test
    void holdsOutOfBoundsAreRefused() {
        AcquireOptions options = AcquireOptions.defaults();
        for (Duration bad : new Duration[] {null, Duration.ofMillis(-1), ENDLESS}) {
            refused(options::minHold, bad, "minHold");
        }
        for (Duration bad : new Duration[] {null, Duration.ZERO, Duration.ofMillis(-1), Duration.ofNanos(500_000)}) {
            refused(options::maxHold, bad, "maxHold");
        }
    }

    @Test
    void closingWithoutAGraceIsRefusedAndClosesNothing() {
        refused(client::close, null, "grace");
        assertThat(lease.verify()).isTrue();
    }

    @Test
    void buildersRefuseWhatTheyCannotUse() {
        RedisLockClientBuilder builder = Waits.client(server);
        Duration negative = Duration.ofMillis(-1);
        for (Duration bad : new Duration[] {null, negative}) {
            refused(builder::defaultWait, bad, "defaultWait");
            refused(builder::pollInterval, bad, "pollInterval");
            refused(builder::commandTimeout, bad, "commandTimeout");
            refused(value -> builder.handOver(1, value), bad, "time");
        }
        refused(builder::pollInterval, Duration.ZERO, "pollInterval");
        assertThatThrownBy(() -> builder.commandTimeout(Duration.ZERO)).hasMessageContaining("'commandTimeout'");
        assertThatThrownBy(() -> builder.handOver(1000, Duration.ZERO)).hasMessageContainingAll("'times'", "1000");
        assertThatThrownBy(() -> builder.minReplicas(-1)).hasMessageContainingAll("'minReplicas'", "-1");
        refused(value -> builder.keyPrefix(null), null, "keyPrefix");
        refused(value -> builder.listener(null), null, "listener");
    }

    @Test
    void endlessTimesAreTakenAsVeryLong() throws Exception {
        try (LockClient patient = Waits.client(server)
                .defaultWait(ENDLESS)
                .pollInterval(ENDLESS)
                .commandTimeout(ENDLESS)
                .handOver(1, ENDLESS)
                .build()) {
            assertThat(patient.getLock("endless").tryLock(ENDLESS)).isTrue();
            patient.getLock("endless").unlock();
            patient.getLock("endless")
                    .acquire(AcquireOptions.defaults().maxHold(ENDLESS))
                    .close();
            assertThat(patient.getLock("endless").tryLock(Duration.ofSeconds(Long.MIN_VALUE)))
                    .isTrue();
            patient.getLock("endless").unlock();
            assertThatCode(() -> patient.close(ENDLESS)).doesNotThrowAnyException();
        }
    }

    @Test
    void leaseCountsInTheWholeMillisecondsThatRedisIsTold() {
        LeaseTerms terms =
                new LeaseTerms(10_999_999, false, 0, LeaseTerms.NO_LIMIT, false, false, Thread.currentThread(), null);
        assertThat(terms.leaseMillis()).isEqualTo(10);
        assertThat(terms.leaseNanos()).isEqualTo(10_000_000);
    }
}
