package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A release elsewhere grants the lock to a waiter, and its message comes more than once. */
@Timeout(60)
class GrantByReleaseTest {

    private static final Duration RARE = Duration.ofMinutes(1);

    private final RedisServer server = RedisServer.start();
    private final RecordingListener listener = new RecordingListener();
    private final LockClient holder = Waits.client(server).build();
    private final LockClient waiter =
            Waits.client(server).pollInterval(RARE).listener(listener).build();
    private final LockClient other = Waits.client(server).pollInterval(RARE).build();
    private final String name = Waits.name("granted");

    @AfterEach
    void close() {
        waiter.close();
        other.close();
        holder.close();
        server.close();
    }

    @Test
    void messageThatComesAgainOrLateBringsNoSecondHolder() {
        Lease first = held(holder, name);
        CompletableFuture<Lease> wanted = wanted(waiter, name);
        awaitListeners(server, name, 1);
        String place = new FairQueue(server, name).owners().get(0);
        first.close();
        Lease second = get(wanted);
        String message = place + " " + server.cli().hget(name, "holdfast:token");
        CompletableFuture<Lease> third = wanted(other, name);
        awaitListeners(server, name, 1);

        // While it holds, after it has released, and while it waits again.
        shout(place, message);
        CompletableFuture<Lease> besides = wanted(waiter, name);
        shout(place, message);
        assertThat(besides).isNotDone();
        second.close();
        // Handed over within the client, or granted to the other.
        Lease next = (Lease) get(CompletableFuture.anyOf(besides, third));
        CompletableFuture<Lease> last = besides.isDone() ? third : besides;
        shout(place, message);
        assertThat(next.verify()).isTrue();
        assertThat(last).isNotDone();
        next.close();
        get(last).close();
        assertThat(listener.losses).isEmpty();
        listener.assertNoTokenTwice();
    }

    private void shout(String place, String message) {
        String channel = WakeChannel.name(place.substring(0, place.indexOf(':')));
        for (int i = 0; i < 100; i++) {
            server.cli().publish(channel, message);
        }
    }
}
