package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.fixture.ClientOwner;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.Strike;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is asked for while there is no connection. */
@Timeout(30)
class DisconnectedTest {

    private final RedisServer server = RedisServer.shared();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final String name = "disconnected-" + UUID.randomUUID() + "-";

    @AfterEach
    void close() {
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource
    void isRefusedAndNeverArrivesAfterTheHeal(ClientOwner clientOwner) {
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = RedisLockClient.builder(opened.source())
                        .checkAtStart(false)
                        .build()) {
            client.getLock(name).acquire().close();
            proxy.refuseConnections();
            proxy.resetConnections();

            assertFiftyTriesAreRefused(client);

            // What left before the break was noticed is taken back: releases may come, an acquisition never.
            onlyWhatIsNewIsAcquired(client);
        }
    }

    @ParameterizedTest
    @EnumSource
    void isNotTakenBackWhereNothingWasSent(ClientOwner clientOwner) {
        Strike silence = proxy.blackHole();
        try (ClientOwner.Opened opened = clientOwner.to(proxy.uri());
                LockClient client = RedisLockClient.builder(opened.source())
                        .checkAtStart(false)
                        .commandTimeout(Duration.ofSeconds(1))
                        .build()) {
            silence.await();

            assertFiftyTriesAreRefused(client);

            assertThat(onlyWhatIsNewIsAcquired(client).releases())
                    .as("releases that arrived")
                    .isEqualTo(1);
        }
    }

    private void assertFiftyTriesAreRefused(LockClient client) {
        List<CompletableFuture<Optional<Lease>>> asked = IntStream.range(0, 50)
                .mapToObj(i -> client.getLock(name + i)
                        .tryAcquireAsync(AcquireOptions.defaults())
                        .toCompletableFuture())
                .toList();
        assertThat(asked)
                .allSatisfy(each -> assertThat(each)
                        .failsWithin(Duration.ofSeconds(20))
                        .withThrowableThat()
                        .withCauseInstanceOf(LockUnavailableException.class));
    }

    private ScriptTraffic onlyWhatIsNewIsAcquired(LockClient client) {
        proxy.heal();
        ScriptTraffic traffic = new ScriptTraffic(proxy);
        Await.until("locks work again", Duration.ofSeconds(10), () -> {
            client.getLock(name).acquire().close();
            return true;
        });
        assertThat(traffic.acquisitions()).as("acquisitions that arrived").isEqualTo(1);
        assertThat(client.heldLocks()).isEmpty();
        return traffic;
    }
}
