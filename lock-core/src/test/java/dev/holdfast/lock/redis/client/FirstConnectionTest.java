package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that has just started, and whose first connection takes its time. */
@Timeout(Await.TEST_SECONDS)
class FirstConnectionTest {

    private static final Duration LIMIT = Await.PATIENCE;
    private static final AcquireOptions ONCE = AcquireOptions.defaults().waitAtMost(Duration.ZERO);

    @AutoClose
    private final FaultProxy proxy = FaultProxy.to(RedisServer.shared().port());

    private final String name = "first-" + UUID.randomUUID();

    private CompletableFuture<Optional<Lease>> once(LockClient client, AcquireOptions options) {
        return client.getLock(name).tryAcquireAsync(options).toCompletableFuture();
    }

    @Test
    void callWithoutAWaitWaitsForItLongerThanForAnAnswer() {
        Duration timeout = Duration.ofMillis(500);
        proxy.holdBack();
        try (LogLines log = LogLines.record();
                ClientOwner.Opened application = ClientOwner.APPLICATION.to(proxy.uri());
                LockClient client = Waits.client(application.source())
                        .commandTimeout(timeout)
                        .build()) {
            CompletableFuture<Optional<Lease>> first = once(client, ONCE);
            Pause.of(timeout.multipliedBy(3));
            assertThat(first).isNotDone();

            proxy.heal();

            assertThat(first).succeedsWithin(LIMIT);
            first.join().orElseThrow().close();
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void timeToConnectIsNotPartOfTheLease() {
        Duration lease = Duration.ofSeconds(1);
        proxy.holdBack();
        try (LockClient client =
                Waits.client(proxy).commandTimeout(Duration.ofSeconds(10)).build()) {
            CompletableFuture<Optional<Lease>> first = once(client, ONCE.lease(lease));
            Pause.of(lease.plus(lease.dividedBy(2)));

            proxy.heal();

            assertThat(first).succeedsWithin(LIMIT);
            first.join().orElseThrow().close();
        }
    }

    /** Many clients never wait: each of their locks is free, or they skip it. */
    @Test
    void connectionForMessagesIsOpenedByTheFirstWait() {
        try (RedisServer server = RedisServer.start();
                LockClient other = Waits.client(server).build()) {
            Lease held = Waits.held(other, name);
            long before = Waits.connections(server);
            try (LockClient client = Waits.client(server).build()) {
                Waits.held(client, Waits.name("free")).close();
                assertThat(once(client, ONCE)).succeedsWithin(LIMIT).isEqualTo(Optional.empty());
                client.inspect(name);
                Waits.get(client.selfCheck().toCompletableFuture());
                assertThat(Waits.connections(server)).isEqualTo(before + 1);

                CompletableFuture<Lease> wanted = Waits.wanted(client, name);
                Waits.awaitListeners(server, name, 1);
                held.close();
                Waits.get(wanted).close();
                Waits.haveWaited(client, server);

                assertThat(Waits.connections(server)).isEqualTo(before + 2);
            }
        }
    }

    @Test
    void connectedTellsWhenRedisIsReached() {
        proxy.refuseConnections();
        try (LockClient client = Waits.client(proxy).build()) {
            CompletableFuture<Void> connected = client.connected().toCompletableFuture();
            assertThat(once(client, ONCE)).failsWithin(LIMIT);
            assertThat(connected).isNotDone();

            proxy.heal();

            assertThat(connected).succeedsWithin(LIMIT);
        }
    }

    @Test
    void connectedFailsWhereTheClientIsClosedBefore() {
        proxy.refuseConnections();
        CompletableFuture<Void> connected;
        try (LockClient client = Waits.client(proxy).build()) {
            connected = client.connected().toCompletableFuture();
        }
        assertThat(connected)
                .failsWithin(LIMIT)
                .withThrowableThat()
                .withCauseInstanceOf(LockUnavailableException.class);
    }
}
