package dev.holdfast.lock.redis.client;

import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClosingTest {

    private static final Duration COMMAND = Duration.ofMillis(800);

    @Test
    void closingWithWaitsAndHoldsUnderWayLeavesNoKeyAndNobodyWaiting() throws Exception {
        try (RedisServer server = RedisServer.start();
                LockClient other = Waits.client(server).build()) {
            List<String> names =
                    IntStream.range(0, 20).mapToObj(i -> name("closing")).toList();
            for (int round = 0; round < 60; round++) {
                LockClient client = Waits.client(server).build();
                held(client, names.get(0));
                List<Lease> elsewhere = new ArrayList<>();
                names.subList(10, 20).forEach(name -> elsewhere.add(held(other, name)));
                List<CompletableFuture<Lease>> wanted = new ArrayList<>();
                names.forEach(name -> wanted.add(wanted(client, name)));
                // Just now the locks become free that the client asks for.
                elsewhere.forEach(Lease::releaseAsync);

                client.close();

                Await.until(
                        "nobody waits",
                        Duration.ofSeconds(5),
                        () -> wanted.stream().allMatch(CompletableFuture::isDone));
                CompletableFuture.allOf(elsewhere.stream()
                                .map(lease -> lease.releaseAsync().toCompletableFuture())
                                .toArray(CompletableFuture[]::new))
                        .get(5, TimeUnit.SECONDS);
                assertThat(server.cli().keys("closing*")).as("round %d", round).isEmpty();
            }
        }
    }

    @Test
    void questionOnItsWayIsTakenBackBeforeTheEnd() {
        RedisServer server = RedisServer.shared();
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            LockClient client = Waits.client(proxy).commandTimeout(COMMAND).build();
            held(client, name("warm-up")).close();
            String name = name("asked");
            proxy.delay(Duration.ofMillis(100));
            CompletableFuture<Lease> wanted = wanted(client, name);

            client.close();

            Await.until("nobody waits", Duration.ofSeconds(5), wanted::isCompletedExceptionally);
            Await.until("all has arrived", Duration.ofSeconds(5), () -> proxy.openConnections() == 0);
            assertThat(server.cli().exists(name)).isZero();
        }
    }

    private enum Outage {
        REFUSED,
        SILENT
    }

    @ParameterizedTest
    @EnumSource
    void closingWhileRedisIsAwayIsQuickAndLeavesNothing(Outage outage) {
        RedisServer server = RedisServer.shared();
        try (FaultProxy proxy = FaultProxy.to(server.port())) {
            LockClient client = Waits.client(proxy).commandTimeout(COMMAND).build();
            Lease lease = held(client, name("away"));
            Lease releasing = held(client, name("away"));
            List<CompletableFuture<?>> waiting = new ArrayList<>();
            if (outage == Outage.REFUSED) {
                proxy.refuseConnections();
                proxy.resetConnections();
            } else {
                proxy.blackHole();
            }
            waiting.add(wanted(client, name("away")));
            waiting.add(releasing.releaseAsync().toCompletableFuture());
            waiting.add(CompletableFuture.supplyAsync(
                    () -> client.inspect(name("away")), task -> new Thread(task).start()));

            long began = System.nanoTime();
            client.close();

            assertThat(millisSince(began)).isLessThan(2 * COMMAND.toMillis() + Waits.SOON_MILLIS);
            assertThat(lease.isHeld()).isFalse();
            Await.until(
                    "nobody waits any more",
                    TwoClients.PATIENCE,
                    () -> waiting.stream().allMatch(CompletableFuture::isDone));
            Await.until(
                    "no thread of ours is left",
                    TwoClients.PATIENCE,
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("holdfast-")));
        }
    }
}
