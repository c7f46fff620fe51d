package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SubscriptionEndTest {

    private final RedisServer server = RedisServer.start();
    private final LockClient holder = Waits.client(server).build();
    private final LockClient client = Waits.client(server).build();
    private final String name = name("listened");

    @AfterEach
    void close() {
        client.close();
        holder.close();
        server.close();
    }

    @Test
    void subscriptionEndsAfterTheLastWaiterHasTheLockOrGaveUp() {
        Lease lease = held(holder, name);
        CompletableFuture<Lease> first = wanted(client, name);
        CompletableFuture<Lease> second = wanted(client, name);
        awaitListeners(server, name, 1);
        first.cancel(false);
        lease.close();
        Lease next = get(second);
        awaitListeners(server, name, 0);

        CompletableFuture<Lease> third = wanted(holder, name);
        awaitListeners(server, name, 1);
        third.cancel(false);
        awaitListeners(server, name, 0);
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void busyLockSubscribesOnceAndNotEachTime() {
        for (int i = 0; i < 50; i++) {
            Lease lease = held(holder, name);
            CompletableFuture<Lease> waiting = wanted(client, name);
            if (i == 0) {
                awaitListeners(server, name, 1);
            }
            lease.close();
            get(waiting).close();
        }

        assertThat(server.commandStats().get("subscribe")).isLessThanOrEqualTo(3);
    }
}
