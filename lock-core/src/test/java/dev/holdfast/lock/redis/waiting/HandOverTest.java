package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.fixture.CriticalSection;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of one client hand a lock over in memory, up to a bound. Then other clients have their turn. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandOverTest {

    private static final Duration FOREVER = Duration.ofHours(1);

    /** A holder of a grant, in the order of the grants. */
    private record Turn(int arrival, long token) {}

    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RedisLockClientBuilder client() {
        // No poll disturbs the count.
        return Waits.client(server).pollInterval(Duration.ofMinutes(5));
    }

    /** Lets so many threads queue up behind this one, one after the other, and then hand the lock over. */
    private List<Turn> handedOver(LockClient client, int threads, Duration hold) throws Exception {
        // The refused request, and the second one once the room is subscribed. A busy machine may confirm the
        // subscription
        // so late that the room asks between them.
        return handedOver(client, threads, hold, 2);
    }

    private List<Turn> handedOver(LockClient client, int threads, Duration hold, int refusals) throws Exception {
        LeaseLock lock = client.getLock("handed-over");
        ConcurrentLinkedQueue<Turn> turns = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> done = new ArrayList<>();
        // The server knows the scripts from here on.
        lock.lock();
        lock.unlock();
        lock.lock();
        turns.add(new Turn(0, lock.fencingToken()));
        for (int i = 1; i <= threads; i++) {
            int arrival = i;
            done.add(CompletableFuture.runAsync(
                    () -> {
                        lock.lock();
                        turns.add(new Turn(arrival, lock.fencingToken()));
                        long until = System.nanoTime() + hold.toNanos();
                        while (System.nanoTime() < until) {
                            Thread.onSpinWait();
                        }
                        lock.unlock();
                    },
                    CriticalSection::onThread));
            TwoClients.awaitWaiters(client, lock.name(), i);
        }
        Await.until("the room is at rest", TwoClients.PATIENCE, () -> scripts("zadd") >= refusals);
        server.resetStats();
        lock.unlock();
        CompletableFuture.allOf(done.toArray(CompletableFuture<?>[]::new)).get(30, TimeUnit.SECONDS);
        return List.copyOf(turns);
    }

    private long scripts(String command) {
        return server.commandStats().getOrDefault(command, 0L);
    }

    @Test
    void lockIsHandedOverWithoutARoundTrip() throws Exception {
        // Time stands still: every hold is short, and so was confirmed just now.
        long now = System.nanoTime();
        try (LockClient client = client().handOver(32, FOREVER).clock(() -> now).build()) {
            List<Turn> turns = handedOver(client, 20, Duration.ZERO, 0);
            assertThat(turns).extracting(Turn::arrival).isSorted().hasSize(21);
            assertThat(holdersOfEachGrant(turns)).containsExactly(21);
            // The last release. If the alarm rings between a release and the next hold, the room asks, subscribes, asks
            // again and leaves the queue.
            assertThat(scripts("evalsha") + scripts("eval")).isIn(1L, 4L);
        }
    }

    @Test
    void lockIsReleasedAfterTheBoundOfHandOvers() throws Exception {
        try (LockClient client = client().handOver(3, FOREVER).build()) {
            List<Turn> turns = handedOver(client, 10, Duration.ZERO);
            assertThat(turns).extracting(Turn::arrival).isSorted();
            assertThat(turns).extracting(Turn::token).isSorted().doesNotHaveDuplicates();
            assertThat(holdersOfEachGrant(turns)).containsExactly(4, 4, 3);
        }
    }

    @Test
    void nothingIsHandedOverIfThatIsTurnedOff() throws Exception {
        try (LockClient client = client().handOver(0, FOREVER).build()) {
            assertThat(holdersOfEachGrant(handedOver(client, 4, Duration.ZERO))).containsExactly(1, 1, 1, 1, 1);
        }
    }

    @Test
    void grantOfALongLeaseIsNotHandedOverToAShortOne() throws Exception {
        try (LockClient client = client().handOver(32, FOREVER).build();
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
