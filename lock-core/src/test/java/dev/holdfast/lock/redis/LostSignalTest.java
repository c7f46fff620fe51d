package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.Waits.awaitListeners;
import static dev.holdfast.lock.redis.Waits.get;
import static dev.holdfast.lock.redis.Waits.held;
import static dev.holdfast.lock.redis.Waits.millisSince;
import static dev.holdfast.lock.redis.Waits.name;
import static dev.holdfast.lock.redis.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.RedisServer.ClientType;
import dev.holdfast.lock.testing.RespFrame;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class LostSignalTest {

    private static final Duration POLL = Duration.ofMillis(400);
    private static final Duration POLL_TOO_LONG_TO_HELP = Duration.ofSeconds(25);
    private static final int ROUNDS = 40;

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

    @Test
    void messagesThatNeverArriveCostOnePoll() {
        waitsWithout(frame -> frame.isNamed("MESSAGE"));
    }

    @Test
    void subscriptionsThatAreNeverConfirmedCostOnePoll() {
        waitsWithout(frame -> true);
    }

    private static void waitsWithout(Predicate<RespFrame> lost) {
        RedisServer server = RedisServer.shared();
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient holder = Waits.client(server).build();
                LockClient waiter = Waits.client(proxy).pollInterval(POLL).build()) {
            String name = name("dropped");
            proxy.dropPushes(lost);
            for (int round = 0; round < 5; round++) {
                Lease lease = held(holder, name);
                CompletableFuture<Lease> next = wanted(waiter, name);
                Await.until("the waiter's question", Stage.PATIENCE, () -> isWaitedFor(waiter, name));

                lease.close();

                assertThat(woken(next)).as("ms in round " + round).isLessThan(POLL.toMillis() + Waits.SOON_MILLIS);
            }
        }
    }

    private static boolean isWaitedFor(LockClient client, String name) {
        return client.inspect(name).orElseThrow().waitersHere() == 1;
    }

    private static long woken(CompletableFuture<Lease> next) {
        long released = System.nanoTime();
        try (Lease lease = get(next)) {
            return millisSince(released);
        }
    }
}
