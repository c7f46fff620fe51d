package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.waiting;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.ClientAccess;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.ScriptTraffic;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.Strike;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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

    private String line() {
        return "redisson_lock_queue:{" + name + "}";
    }

    private String firstPlace() {
        return server.cli().lrange(line(), 0, 0).get(0);
    }

    private static String channelOf(String place) {
        return WakeChannel.name(place.substring(0, place.indexOf(':')));
    }

    private Lease grantedByRelease(AcquireOptions options) {
        Lease first = held(holder, name);
        CompletableFuture<Lease> wanted =
                waiter.getLock(name).acquireAsync(options).toCompletableFuture();
        awaitListeners(server, name, 1);
        Await.until(
                "it is at rest", TwoClients.PATIENCE, () -> waiter.statistics().waiting() == 1);
        first.close();
        return get(wanted);
    }

    @Test
    void firstLeaseIsRenewedForAsLongAsTheLockIsHeld() {
        Lease lease = grantedByRelease(waiting(Waits.LONG));

        assertThat(server.cli().hget(name, "holdfast:granted"))
                .as("granted by the release")
                .isEqualTo("1");
        // Time is the subject: three first leases.
        long began = System.nanoTime();
        while (millisSince(began) < 10_000) {
            assertThat(server.cli().pttl(name)).isPositive();
            assertThat(lease.isHeld()).isTrue();
            Pause.of(Duration.ofMillis(100));
        }
        assertThat(server.cli().pttl(name)).as("renewed for the whole lease").isGreaterThan(15_000);
        assertThat(listener.losses).isEmpty();
        lease.close();
        assertThat(server.cli().exists(name)).isZero();
    }

    @Test
    void fixedLeaseHasItsFullLength() {
        Duration fixed = Duration.ofSeconds(20);

        Lease lease = grantedByRelease(waiting(Waits.LONG).lease(fixed));

        assertThat(server.cli().pttl(name)).isBetween(10_000L, fixed.toMillis());
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(10), fixed);
        lease.close();
    }

    @Test
    void shortFixedLeaseIsNotLonger() {
        Duration fixed = Duration.ofSeconds(1);

        Lease lease = grantedByRelease(waiting(Waits.LONG).lease(fixed));

        assertThat(server.cli().pttl(name)).isLessThanOrEqualTo(fixed.toMillis());
        Await.until("it ends", TwoClients.PATIENCE, () -> !lease.isHeld());
    }

    @Test
    void minimumHoldHasItsFullLength() {
        Duration minimum = Duration.ofSeconds(15);
        long began = System.nanoTime();
        Lease lease = grantedByRelease(waiting(Waits.LONG).minHold(minimum));

        lease.close();

        long left = server.cli().pttl(name);
        assertThat(left).isBetween(minimum.toMillis() - millisSince(began) - 100, minimum.toMillis());
        assertThat(other.getLock(name).tryLock()).isFalse();
    }

    /** Its room was never refused: the only question brought the first one's grant. */
    @Test
    void minimumHoldWakesTheNextOfItsOwnClientWhenItEnds() {
        Duration minimum = Duration.ofSeconds(1);
        CompletableFuture<Lease> first = waiter.getLock(name)
                .acquireAsync(waiting(Waits.LONG).minHold(minimum))
                .toCompletableFuture();
        CompletableFuture<Lease> next = wanted(waiter, name);
        get(first).close();
        long released = System.nanoTime();

        get(next).close();

        // No poll comes that early.
        assertThat(millisSince(released)).isLessThan(10 * minimum.toMillis());
    }

    @Test
    void lineIsServedInTheOrderOfArrival() {
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

    /** By this client's clock the first lease is over: only Redis knows what is left. */
    @Test
    void grantThatIsHeardOfTooLateIsConfirmedBeforeItIsUsed() {
        AtomicLong skipped = new AtomicLong();
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient late = Waits.client(proxy)
                        .pollInterval(RARE)
                        .clock(() -> System.nanoTime() + skipped.get())
                        .build()) {
            ScriptTraffic traffic = new ScriptTraffic(proxy);
            Lease first = held(holder, name);
            CompletableFuture<Lease> wanted = wanted(late, name);
            awaitListeners(server, name, 1);
            Await.until("it has asked again after subscribing", TwoClients.PATIENCE, () -> traffic.acquisitions() == 2);
            skipped.set(Duration.ofSeconds(3).toNanos());

            first.close();

            Lease lease = get(wanted);
            assertThat(traffic.acquisitions()).as("questions").isEqualTo(3);
            assertThat(server.cli().hget(name, "holdfast:granted"))
                    .as("found, not made anew")
                    .isEqualTo("1");
            assertThat(lease.verify()).isTrue();
            lease.close();
        }
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

    @Test
    void receiverThatLeavesAtThatMomentPassesTheGrantOn() {
        for (int round = 0; round < 60; round++) {
            Lease first = held(holder, name);
            CompletableFuture<Lease> leaving = wanted(waiter, name);
            awaitListeners(server, name, 1);
            CompletableFuture<Lease> next = wanted(other, name);
            awaitListeners(server, name, 2);

            CompletableFuture<?> release = first.releaseAsync().toCompletableFuture();
            boolean left = leaving.cancel(false);
            release.join();
            long released = System.nanoTime();

            if (!left) {
                get(leaving).close();
            }
            get(next).close();
            // Neither a first lease of three seconds nor a poll, which comes after two.
            assertThat(millisSince(released)).as("ms in round " + round).isLessThan(1_800);
        }
    }

    /** The line is lost with the data: each waiter finds the free lock when it asks next, and only one at a time has it. */
    @Test
    void lineThatIsLostWithTheDataCostsOnePoll() {
        Lease first = held(holder, name);
        List<CompletableFuture<Lease>> waiting = List.of(wanted(waiter, name), wanted(other, name));
        awaitListeners(server, name, 2);
        long lost = System.nanoTime();

        server.flushAll();

        Lease one = (Lease) get(CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)));
        assertThat(millisSince(lost)).as("ms to the next holder").isLessThan(2_500 + 2_500);
        CompletableFuture<Lease> behind = waiting.get(0).isDone() ? waiting.get(1) : waiting.get(0);
        awaitListeners(server, name, 1);
        assertThat(behind).isNotDone();
        assertThat(one.verify()).isTrue();
        assertThat(first.verify()).isFalse();
        one.close();
        Lease two = get(behind);
        assertThat(two.fencingToken()).isGreaterThan(one.fencingToken());
        two.close();
    }

    /** The message may overtake the answer to the question, which comes over another connection. */
    @Test
    void grantIsTakenWhoseMessageComesBeforeTheRefusalOfTheFirstQuestion() {
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient behind = Waits.client(proxy).pollInterval(RARE).build()) {
            Lease own = held(behind, Waits.name("own"));
            String client =
                    behind.inspect(own.lockName()).orElseThrow().holder().client();
            String channel = WakeChannel.name(client);
            CompletableFuture<String> heard = new CompletableFuture<>();
            get(ClientAccess.session(behind)
                    .gateway
                    .signals()
                    .subscribe(channel, "after", heard::complete)
                    .ready()
                    .toCompletableFuture());
            Lease first = held(holder, name);
            Strike held = proxy.swallowReplyOf(ScriptTraffic.acquisitionOf(name), FaultProxy.Then.HOLD);
            CompletableFuture<Lease> wanted = wanted(behind, name);
            held.await();
            first.close();
            assertThat(server.cli().hget(name, "holdfast:granted")).isEqualTo("1");

            // Messages come in order: what comes behind the grant's shows that the client has that one, too.
            server.cli().publish(channel, "after");
            get(heard);
            proxy.heal();

            get(wanted).close();
            assertThat(behind.statistics().wakeUpsByPoll()).isZero();
        }
    }
}
