package dev.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.connection.RedisSource;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Direction;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
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
    private final Witness witness = new Witness();
    private final String name = "in-flight-" + UUID.randomUUID() + "-";

    @AfterEach
    void close() {
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyCallerGetsItsLockOnceAndExcludesAllOthers(Way way) {
        try (Way.Opened opened = way.to(proxy.uri());
                LockClient client = RedisLockClient.builder(opened.source())
                        .checkAtStart(false)
                        .listener(witness)
                        .build();
                LockClient rival = RedisLockClient.builder(RedisSource.of(server.uri()))
                        .checkAtStart(false)
                        .build()) {
            client.lock(name).tryAcquire().orElseThrow().close();
            for (int round = 0; round < ROUNDS; round++) {
                breakAmidAcquisitions(client, rival, round % 2 == 0);
            }
            assertThat(traffic.resent()).as("acquisitions sent twice").isEmpty();
            witness.sawNoTokenTwice();
            assertThat(witness.losses).isEmpty();
        }
    }

    private void breakAmidAcquisitions(LockClient client, LockClient rival, boolean reset) {
        proxy.holdBack(Direction.TO_CLIENT);
        List<CompletableFuture<Lease>> acquiring = IntStream.range(0, LOCKS)
                .mapToObj(i -> client.lock(name + i).acquireAsync(PATIENT).toCompletableFuture())
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
            assertThat(rival.lock(name + i).tryAcquire()).as("a second holder").isEmpty();
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
