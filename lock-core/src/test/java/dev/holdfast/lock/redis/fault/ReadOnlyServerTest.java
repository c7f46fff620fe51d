package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that has become a replica and still is what the address leads to. */
@Timeout(Await.TEST_SECONDS)
class ReadOnlyServerTest {

    private static final int LOCKS = 200;

    /** A client may not be allowed to ask what the server is. */
    @ParameterizedTest
    @ValueSource(strings = {"ROLE", "\"\""})
    void refusalsOfManyLocksOpenNoMoreConnectionsThanAnOutage(String role) {
        try (RedisServer server = RedisServer.start("rename-command ROLE " + role);
                LockClient client = Waits.client(server)
                        .watchdogTimeout(TwoClients.WATCHDOG)
                        .build()) {
            Waits.held(client, "before").close();
            server.cli().replicaof("127.0.0.1", 1);
            long before = connections(server);
            long began = System.nanoTime();

            List<CompletableFuture<Lease>> wanted = IntStream.range(0, LOCKS)
                    .mapToObj(i -> client.getLock("wanted-" + i)
                            .acquireAsync(Waits.waiting(Duration.ofSeconds(3)))
                            .toCompletableFuture())
                    .toList();

            assertThat(wanted)
                    .allSatisfy(each -> assertThat(each)
                            .failsWithin(Waits.LONG)
                            .withThrowableThat()
                            .withCauseInstanceOf(LockUnavailableException.class)
                            .withMessageContaining("READONLY"));
            long opened = connections(server) - before;
            long pauses = (System.nanoTime() - began)
                    / ConnectionSettings.forLease(TwoClients.WATCHDOG)
                            .reconnectDelay()
                            .toNanos();
            // One for commands and one for messages after each pause.
            assertThat(opened).isLessThanOrEqualTo(2 * (pauses + 2));

            server.cli().replicaofNoOne();
            Waits.held(client, "after").close();
        }
    }

    @Test
    void leasesWaitersAndReleasesOutliveIt() {
        RecordingListener listener = new RecordingListener();
        try (RedisServer server = RedisServer.start();
                LockClient client = Waits.client(server)
                        .watchdogTimeout(Duration.ofSeconds(6))
                        .listener(listener)
                        .build();
                LockClient other =
                        Waits.client(server).pollInterval(Duration.ofMinutes(5)).build()) {
            Lease kept = Waits.held(client, "kept");
            Lease released =
                    client.getLock("released").acquire(AcquireOptions.defaults().lease(Duration.ofMinutes(5)));
            CompletableFuture<Lease> wantsKept = Waits.wanted(other, "kept");
            CompletableFuture<Lease> wantsReleased = Waits.wanted(other, "released");
            Waits.awaitListeners(server, "kept", 1);
            Waits.awaitListeners(server, "released", 1);

            server.cli().replicaof("127.0.0.1", 1);
            CompletableFuture<Void> releasing = released.releaseAsync().toCompletableFuture();
            Await.until("a renewal failed", Waits.LONG, () -> listener.troubles.get() > 0);
            server.cli().replicaofNoOne();

            Waits.get(releasing);
            Waits.get(wantsReleased).close();
            Waits.awaitRenewals(client, 1);
            assertThat(kept.verify()).isTrue();
            kept.close();
            Waits.get(wantsKept).close();
            assertThat(listener.losses).isEmpty();
        }
    }

    private static long connections(RedisServer server) {
        return Long.parseLong(server.info("stats").get("total_connections_received"));
    }
}
