package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Direction;
import dev.holdfast.lock.testing.FaultProxy.Then;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection ends with fifty acquisitions executed and none of them answered. */
@Timeout(60)
class InFlightResetTest {

    private static final int LOCKS = 50;
    private static final int ROUNDS = 6;
    private static final AcquireOptions PATIENT = AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(20));

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final ScriptTraffic traffic = new ScriptTraffic(proxy);
    private final RecordingListener listener = new RecordingListener();
    private final String name = "in-flight-" + UUID.randomUUID() + "-";

    @AfterEach
    void close() {
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyCallerGetsItsLockOnceAndExcludesAllOthers(ClientOwner clientOwner) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = RedisLockClient.builder(opened.source())
                        .checkAtStart(false)
                        .listener(listener)
                        .build();
                LockClient competitor = Waits.client(server).build()) {
            client.getLock(name).tryAcquire().orElseThrow().close();
            for (int round = 0; round < ROUNDS; round++) {
                breakAmidAcquisitions(client, competitor, round % 2 == 0);
            }
            assertThat(traffic.revived())
                    .as("acquisitions sent after their release")
                    .isEmpty();
            listener.assertNoTokenTwice();
            assertThat(listener.losses).isEmpty();
        }
    }

    /** It was replaced because one answer did not come, and stays open for a while: others may yet come. */
    @ParameterizedTest
    @EnumSource
    void replacedConnectionThatBreaksSendsNothingAgain(ClientOwner clientOwner) throws InterruptedException {
        Duration timeout = Duration.ofSeconds(2);
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = RedisLockClient.builder(opened.source())
                        .checkAtStart(false)
                        .commandTimeout(timeout)
                        .build()) {
            client.getLock(name).tryAcquire().orElseThrow().close();
            // One for commands, one for messages.
            proxy.awaitAccepted(2);
            proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(name + 0), Then.STAY_SILENT);
            List<CompletableFuture<Lease>> acquiring = new ArrayList<>();
            acquiring.add(client.getLock(name + 0).acquireAsync(PATIENT).toCompletableFuture());
            // So that the others are still waited for when the first is given up.
            Thread.sleep(timeout.toMillis() / 2);
            IntStream.range(1, LOCKS)
                    .mapToObj(
                            i -> client.getLock(name + i).acquireAsync(PATIENT).toCompletableFuture())
                    .forEach(acquiring::add);
            // Of other locks each time: those who ask for one wait for the answer that does not come.
            AtomicInteger probes = new AtomicInteger();
            Await.until(
                    "the next connection answers",
                    timeout,
                    () -> client.getLock(name + "probe-" + probes.incrementAndGet())
                            .tryAcquireAsync(AcquireOptions.defaults())
                            .toCompletableFuture()
                            .get(50, TimeUnit.MILLISECONDS)
                            .isPresent());

            proxy.resetConnections();

            acquiring.forEach(acquired -> acquired.join().close());
            assertThat(traffic.revived())
                    .as("acquisitions sent after their release")
                    .isEmpty();
        }
        assertThat(server.cli().exists(names())).as("keys left").isZero();
    }

    private void breakAmidAcquisitions(LockClient client, LockClient competitor, boolean reset) {
        proxy.holdBack(Direction.TO_CLIENT);
        List<CompletableFuture<Lease>> acquiring = IntStream.range(0, LOCKS)
                .mapToObj(i -> client.getLock(name + i).acquireAsync(PATIENT).toCompletableFuture())
                .toList();
        Await.until(
                "all are granted, unanswered",
                Duration.ofSeconds(10),
                () -> server.cli().exists(names()) == LOCKS);
        if (reset) {
            proxy.resetConnections();
        } else {
            proxy.closeConnections();
        }
        proxy.heal();
        traffic.watch();

        List<Lease> leases = acquiring.stream().map(CompletableFuture::join).toList();
        assertThat(leases).allMatch(Lease::isHeld);
        for (int i = 0; i < LOCKS; i++) {
            assertThat(competitor.getLock(name + i).tryAcquire())
                    .as("a second holder")
                    .isEmpty();
            assertThat(server.cli().hget(name + i, "holdfast:token"))
                    .isEqualTo(Long.toString(leases.get(i).fencingToken()));
        }
        leases.forEach(Lease::close);
        assertThat(server.cli().exists(names())).as("keys left").isZero();
    }

    private String[] names() {
        return IntStream.range(0, LOCKS).mapToObj(i -> name + i).toArray(String[]::new);
    }
}
