package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of one client hand a lock over in memory, up to a bound. Then other clients have their turn. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandOverTest {

    private static final Duration FOREVER = Duration.ofHours(1);

    /** A holder of a grant, in the order of the grants. */
    private record Turn(int arrival, long token) {}

    @AutoClose
    private final RedisServer server = RedisServer.start();

    private LockClient client(int handOvers) {
        return Waits.client(server)
                .pollInterval(Duration.ofMinutes(5))
                .handOver(handOvers, FOREVER)
                .build();
    }

    /** Lets so many threads queue up behind this one, one after the other, and then hand the lock over. */
    private List<Turn> handedOver(LockClient client, int threads) throws Exception {
        LeaseLock lock = client.getLock("handed-over");
        ConcurrentLinkedQueue<Turn> turns = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> done = new ArrayList<>();
        lock.lock();
        turns.add(new Turn(0, lock.fencingToken()));
        for (int i = 1; i <= threads; i++) {
            int arrival = i;
            done.add(CompletableFuture.runAsync(
                    () -> {
                        lock.lock();
                        turns.add(new Turn(arrival, lock.fencingToken()));
                        lock.unlock();
                    },
                    CriticalSection::onThread));
            TwoClients.awaitWaiters(client, lock.name(), i);
        }
        // It asks before it is subscribed and after that.
        Await.until(
                "the room is at rest",
                TwoClients.PATIENCE,
                () -> server.commandStats().getOrDefault("zadd", 0L) >= 2);
        lock.unlock();
        CompletableFuture.allOf(done.toArray(CompletableFuture<?>[]::new))
                .get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return List.copyOf(turns);
    }

    @Test
    void lockIsReleasedAfterTheBoundOfHandOvers() throws Exception {
        try (LockClient client = client(3)) {
            List<Turn> turns = handedOver(client, 10);
            assertThat(turns).extracting(Turn::arrival).isSorted();
            assertThat(turns).extracting(Turn::token).isSorted().doesNotHaveDuplicates();
            assertThat(holdersOfEachGrant(turns)).containsExactly(4, 4, 3);
        }
    }

    @Test
    void nothingIsHandedOverIfThatIsTurnedOff() throws Exception {
        try (LockClient client = client(0)) {
            assertThat(holdersOfEachGrant(handedOver(client, 4))).containsExactly(1, 1, 1, 1, 1);
        }
    }

    @Test
    void grantOfALongLeaseIsNotHandedOverToAShortOne() throws Exception {
        try (LockClient client = client(32);
                ScriptedThread waiter = new ScriptedThread()) {
            LeaseLock lock = client.getLock("long-and-short");
            lock.lock(Duration.ofSeconds(60));
            var granted = waiter.start(() -> lock.tryLock(TwoClients.PATIENCE, Duration.ofSeconds(5)));
            TwoClients.awaitWaiters(client, lock.name(), 1);
            lock.unlock();
            assertThat(ScriptedThread.outcome(granted)).isTrue();
            // Its holder may die: then others must not wait for the lease of the one before.
            assertThat(server.cli().pttl(lock.name())).isBetween(1L, 5_000L);
            waiter.run(lock::unlock);
        }
    }

    /** Redis keeps the lock for a minimum hold, also if its holder dies. So Redis must know of it. */
    @Test
    void grantIsNotHandedOverToAWaiterWithAMinimumHold() {
        try (LockClient client = client(32)) {
            LeaseLock lock = client.getLock("minimum-hold");
            Lease first = lock.acquire();
            CompletableFuture<Lease> next = lock.acquireAsync(
                            Waits.waiting(Waits.LONG).minHold(Duration.ofMinutes(10)))
                    .toCompletableFuture();
            TwoClients.awaitWaiters(client, lock.name(), 1);
            first.close();
            Waits.get(next);
            assertThat(server.cli().pttl(lock.name())).isBetween(300_000L, 600_000L);
        }
    }

    /** They would have to wait for all hand-overs. A release shows whether they listen. */
    @Test
    void nothingIsHandedOverWhileClientsOfRedissonWait() {
        String name = "beside-redisson";
        try (LockClient client = client(32)) {
            try (WakeChannel redisson = WakeChannel.ofRedisson(server, name)) {
                Waits.held(client, name).close();
                redisson.awaitHeard("0");
                assertThat(isHandedOver(client, name)).isFalse();
            }
            Waits.awaitChannel(server, "redisson_lock__channel:{" + name + "}", 0);
            Waits.held(client, name).close();
            assertThat(isHandedOver(client, name)).isTrue();
        }
    }

    private static boolean isHandedOver(LockClient client, String name) {
        Lease first = Waits.held(client, name);
        CompletableFuture<Lease> next = Waits.wanted(client, name);
        TwoClients.awaitWaiters(client, name, 1);
        first.close();
        try (Lease second = Waits.get(next)) {
            return second.fencingToken() == first.fencingToken() + 1;
        }
    }

    /** Tokens of one grant follow each other without a gap. */
    private static List<Integer> holdersOfEachGrant(List<Turn> turns) {
        List<Integer> holders = new ArrayList<>();
        long last = 0;
        for (Turn turn : turns) {
            if (turn.token() == last + 1) {
                holders.set(holders.size() - 1, holders.get(holders.size() - 1) + 1);
            } else {
                holders.add(1);
            }
            last = turn.token();
        }
        return holders;
    }
}
