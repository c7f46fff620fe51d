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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClosingTest {

    private static final Duration COMMAND = Duration.ofMillis(800);

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
