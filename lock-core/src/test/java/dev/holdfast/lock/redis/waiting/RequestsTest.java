package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.requests;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often waiting asks Redis, how long it is subscribed, and what messages do that come from strangers or twice. The polls are too rare to count. */
class RequestsTest {

    private static final Duration RARE = Duration.ofMinutes(1);

    private final RedisServer server = RedisServer.start();
    private final FaultProxy proxy = FaultProxy.to(server.port());
    private final ScriptTraffic traffic = new ScriptTraffic(proxy);
    private final RecordingListener listener = new RecordingListener();
    private final LockClient holder = Waits.client(server).build();
    private final LockClient waiter = rarelyPolling();
    private final String name = name("requests");

    @AfterEach
    void close() {
        waiter.close();
        holder.close();
        proxy.close();
        server.close();
    }

    private LockClient rarelyPolling() {
        return Waits.client(proxy).pollInterval(RARE).listener(listener).build();
    }

    @Test
    void releaseWakesOneClientWithoutARequestHoweverManyWait() {
        try (LockClient other = rarelyPolling()) {
            Lease lease = held(holder, name);
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                waiting.add(wanted(waiter, name));
                waiting.add(wanted(other, name));
            }
            awaitListeners(server, name, 2);
            Await.until("both have asked again after subscribing", Waits.LONG, () -> traffic.acquisitions() >= 4);
            long wokenBefore = wakeUps(waiter) + wakeUps(other);

            lease.close();
            get(CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)));

            assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(1);
            // And on a slow machine one every two seconds, which keeps a client's place.
            assertThat(traffic.acquisitions()).as("requests in all").isLessThan(50);
            assertThat(wakeUps(waiter) + wakeUps(other) - wokenBefore)
                    .as("clients woken")
                    .isEqualTo(1);
        }
    }

    private static long wakeUps(LockClient client) {
        return client.statistics().wakeUpsBySignal();
    }

    @Test
    void strangerWhoPublishesOnTheChannelCausesOneRequestAtATimeAndNoneForAPlaceThatIsNotThere() {
        Lease lease = held(holder, name);
        CompletableFuture<Lease> waiting = wanted(waiter, name);
        awaitListeners(server, name, 1);
        Await.until("it has asked again after subscribing", Waits.LONG, () -> traffic.acquisitions() >= 2);
        String place = new FairQueue(server, name).owners().get(0);
        String channel = WakeChannel.name(place.substring(0, place.indexOf(':')));
        int before = traffic.acquisitions();
        long shouted = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            assertThat(server.cli().publish(channel, place + i + " 7")).isEqualTo(1);
        }
        long roundTripMillis = 50;
        proxy.delay(Duration.ofMillis(roundTripMillis / 2));
        assertThat(traffic.acquisitions())
                .as("requests after a thousand unknown places; the waiter keeps its own every two seconds")
                .isBetween(before, before + 1 + (int) (millisSince(shouted) / 1_000));
        server.resetStats();

        long began = System.nanoTime();
        int messages = 0;
        while (millisSince(began) < 1_000 || messages <= 500) {
            server.cli().publish(channel, messages % 2 == 0 ? place : place + " not even a number");
            messages++;
            Pause.of(Duration.ofMillis(1));
        }
        lease.close();
        get(waiting).close();

        assertThat(messages).isGreaterThan(500);
        assertThat(requests(server))
                .as("requests after %d messages", messages)
                .isGreaterThan(2)
                .isLessThanOrEqualTo(millisSince(began) / roundTripMillis + 2);
    }

    @Test
    void tryBehindWaitersIsRefusedWithoutARequest() {
        Lease lease = held(holder, name);
        for (int i = 0; i < 100; i++) {
            wanted(waiter, name);
        }
        awaitListeners(server, name, 1);
        Await.until("asked again", Waits.LONG, () -> requests(server) >= 3);

        assertThat(waiter.getLock(name).tryLock()).isFalse();
        assertThat(waiter.getLock(name).tryAcquire()).isEmpty();

        // On a slow machine, the waiter has also asked to keep its place. It counts such a request before it sends it.
        assertThat(requests(server) - waiter.statistics().wakeUpsByPoll()).isLessThanOrEqualTo(3);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void subscriptionEndsAfterTheLastWaiterHasTheLockOrGaveUp() {
        Lease lease = held(holder, name);
        CompletableFuture<Lease> first = wanted(waiter, name);
        CompletableFuture<Lease> second = wanted(waiter, name);
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
            CompletableFuture<Lease> waiting = wanted(waiter, name);
            if (i == 0) {
                awaitListeners(server, name, 1);
            }
            lease.close();
            get(waiting).close();
        }

        assertThat(server.commandStats().get("subscribe")).isLessThanOrEqualTo(3);
    }

    @Test
    void messageThatComesAgainOrLateBringsNoSecondHolder() {
        try (LockClient other = rarelyPolling()) {
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
    }

    private void shout(String place, String message) {
        String channel = WakeChannel.name(place.substring(0, place.indexOf(':')));
        for (int i = 0; i < 100; i++) {
            server.cli().publish(channel, message);
        }
    }
}
