package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A release elsewhere grants the lock to a waiter: what that lease is worth, and what no message can bring about. */
// Drops results on purpose: leases that end with their clients.
@SuppressWarnings("CheckReturnValue")
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

    private String queue() {
        return "redisson_lock_queue:{" + name + "}";
    }

    private String firstPlace() {
        return server.cli().lrange(queue(), 0, 0).get(0);
    }

    private static String channelOf(String place) {
        return WakeChannel.name(place.substring(0, place.indexOf(':')));
    }

    @Test
    void queueIsServedInTheOrderOfArrival() {
        Lease first = held(holder, name);
        List<LockClient> clients = new ArrayList<>();
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> turns = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            LockClient client = Waits.client(server).pollInterval(RARE).build();
            clients.add(client);
            int number = i;
            turns.add(wanted(client, name).thenAccept(lease -> {
                served.add(number);
                lease.close();
            }));
            awaitListeners(server, name, i + 1);
        }

        first.close();

        turns.forEach(turn -> turn.orTimeout(30, TimeUnit.SECONDS).join());
        assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        clients.forEach(LockClient::close);
    }

    /** Only Redis grants: a message that names a number which was drawn before is a reason to ask. */
    @Test
    void messageWithATokenThatIsNotNewIsNotUsedWithoutAsking() {
        Lease first = held(holder, name);
        CompletableFuture<Lease> wanted = wanted(waiter, name);
        awaitListeners(server, name, 1);
        String place = firstPlace();

        for (long token : new long[] {1, first.fencingToken() - 1, first.fencingToken(), first.fencingToken() + 1}) {
            long woken = waiter.statistics().wakeUpsBySignal();
            assertThat(server.cli().publish(channelOf(place), place + " " + token))
                    .isEqualTo(1);
            Await.until(
                    "it was heard",
                    TwoClients.PATIENCE,
                    () -> waiter.statistics().wakeUpsBySignal() > woken);
        }

        // It has asked, and was refused: its place is there, and so is the holder's lease.
        Await.until("it has its place", TwoClients.PATIENCE, () -> firstPlace().equals(place));
        assertThat(wanted).isNotDone();
        assertThat(first.verify()).isTrue();
        first.close();
        assertThat(get(wanted).fencingToken()).isGreaterThan(first.fencingToken());
    }

    @Test
    void messageThatComesAgainOrLateBringsNoSecondHolder() {
        Lease first = held(holder, name);
        CompletableFuture<Lease> wanted = wanted(waiter, name);
        awaitListeners(server, name, 1);
        String place = firstPlace();
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
        for (int i = 0; i < 100; i++) {
            server.cli().publish(channelOf(place), message);
        }
    }
}
