package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.RedisServer.ClientType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LostSignalTest {

    private static final Duration POLL_TOO_LONG_TO_HELP = Duration.ofSeconds(25);
    private static final int ROUNDS = 10;

    @Test
    void signalConnectionKilledJustBeforeTheReleaseCostsNoMoreThanAReconnect() {
        try (RedisServer server = RedisServer.start();
                LockClient holder = Waits.client(server).build();
                LockClient waiter =
                        Waits.client(server).pollInterval(POLL_TOO_LONG_TO_HELP).build()) {
            String name = name("killed");
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = held(holder, name);
                CompletableFuture<Lease> next = wanted(waiter, name);
                awaitListeners(server, name, 1);

                server.clientKill(ClientType.PUBSUB);
                lease.close();

                assertThat(woken(next)).as("ms in round " + round).isLessThan(Waits.SOON_MILLIS);
            }
        }
    }

    private static long woken(CompletableFuture<Lease> next) {
        long released = System.nanoTime();
        try (Lease lease = get(next)) {
            return millisSince(released);
        }
    }
}
