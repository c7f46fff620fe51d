package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FairOrderTest {

    private static final Duration RARE = Duration.ofSeconds(25);

    private final RedisServer server = RedisServer.shared();
    private final FairQueue queue = new FairQueue(server);
    private final List<LockClient> clients = IntStream.range(0, 4)
            .mapToObj(i -> Waits.client(server).pollInterval(RARE).build())
            .toList();

    @AfterEach
    void close() {
        clients.forEach(LockClient::close);
    }

    @Test
    void waitersOfFourClientsAreServedInTheOrderOfTheirArrival() {
        Lease held = queue.held(clients.get(0));
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        int waiters = 40;
        for (int i = 0; i < waiters; i++) {
            int place = i;
            all.add(queue.queued(clients.get(i * 7 % 4)).thenAccept(lease -> {
                served.add(place);
                lease.close();
            }));
        }

        long released = System.nanoTime();
        held.close();
        all.forEach(Waits::get);

        assertThat(served)
                .containsExactlyElementsOf(IntStream.range(0, waiters).boxed().toList());
        // Each by a message and none by a poll, which comes after two seconds at the earliest.
        assertThat(millisSince(released)).isLessThan(2_000);
        assertThat(queue.isGone()).isTrue();
    }

    @Test
    void whoeverReleasesGoesBehindThoseWhoWait() {
        CountDownLatch turns = new CountDownLatch(60);
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        Lease held = queue.held(clients.get(3));
        for (int who = 0; who < 3; who++) {
            all.add(takeTurns(who, turns, served));
            queue.awaitLength(who + 1);
        }
        held.close();

        assertThat(awaited(turns)).isTrue();
        List<Integer> order = List.copyOf(served);
        // Each asks again before it releases, so all three are in the queue or inside all the time.
        for (int i = 3; i < 60; i++) {
            assertThat(order.get(i)).as("turn " + i + " of " + order).isEqualTo(order.get(i - 3));
        }
        get(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)));
    }

    private static boolean awaited(CountDownLatch turns) {
        try {
            return turns.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private CompletableFuture<Void> takeTurns(int who, CountDownLatch turns, Queue<Integer> served) {
        return queue.wanted(clients.get(who), Waits.waiting(Waits.LONG)).thenCompose(lease -> {
            served.add(who);
            turns.countDown();
            if (turns.getCount() == 0) {
                return lease.releaseAsync();
            }
            long before = queue.owners().size();
            CompletableFuture<Void> next = takeTurns(who, turns, served);
            queue.awaitLength(before + 1);
            return lease.releaseAsync().thenCompose(released -> next);
        });
    }

    @Test
    void tryThatDoesNotWaitNeitherQueuesNorPassesTheQueue() {
        LeaseLock lock = queue.lock(clients.get(0));
        Lease held = queue.held(clients.get(1));
        assertThat(lock.tryLock()).isFalse();
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(queue.isGone()).isTrue();
        held.close();

        // Free, but somebody was here before.
        queue.plant("somebody:1", Duration.ofSeconds(30));
        assertThat(lock.tryLock()).isFalse();
        assertThat(queue.owners()).containsExactly("somebody:1");

        server.cli().del(queue.list(), queue.deadlines());
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void inspectShowsTheKindTheQueueAndHowManyWaitHere() {
        Lease held = queue.held(clients.get(0));
        CompletableFuture<Lease> first = queue.queued(clients.get(1));
        CompletableFuture<Lease> second = queue.queued(clients.get(2));
        CompletableFuture<Lease> third = queue.queued(clients.get(1));

        LockState state = clients.get(1).inspect(queue.name()).orElseThrow();

        assertThat(state.kind()).isEqualTo(LockKind.FAIR);
        assertThat(state.queue()).hasSize(3).isEqualTo(queue.owners()).doesNotContain(state.owner());
        assertThat(state.waitersHere()).isEqualTo(2);
        assertThat(clients.get(0).heldLocks()).singleElement().satisfies(lock -> {
            assertThat(lock.kind()).isEqualTo(LockKind.FAIR);
        });
        held.close();
        get(first).close();
        get(second).close();
        get(third).close();
        assertThat(clients.get(1).inspect(queue.name())).isEmpty();
    }

    @Test
    void forcedReleaseWakesTheHeadAndNobodyElse() {
        queue.held(clients.get(0));
        CompletableFuture<Lease> head = queue.queued(clients.get(1));
        CompletableFuture<Lease> behind = queue.queued(clients.get(2));

        long forced = System.nanoTime();
        assertThat(clients.get(3).forceRelease(queue.name())).isTrue();

        Lease lease = get(head);
        assertThat(millisSince(forced)).isLessThan(2_000);
        assertThat(behind).isNotDone();
        lease.close();
        get(behind).close();
    }

    @Test
    void headThatLeavesAFreeLockTellsTheNextOne() {
        queue.held(clients.get(0));
        CompletableFuture<Lease> head = queue.queued(clients.get(1));
        CompletableFuture<Lease> next = queue.queued(clients.get(2));
        // Lost without a message: both sleep for two seconds and more.
        server.cli().del(queue.name());

        long left = System.nanoTime();
        head.cancel(false);

        get(next).close();
        assertThat(millisSince(left)).isLessThan(1_500);
    }

    @Test
    void waiterGetsTheLockWhenTheLeaseOfADeadHolderEnds() {
        server.cli().hset(queue.name(), "dead:1", "1");
        server.cli().pexpire(queue.name(), 700);
        long began = System.nanoTime();

        queue.held(clients.get(0)).close();

        assertThat(millisSince(began)).isBetween(650L, 2_000L);
    }

    @Test
    void lostSignalCostsOnePollEvenWhereThePollIntervalIsLong() {
        Lease held = queue.held(clients.get(0));
        CompletableFuture<Lease> next = queue.queued(clients.get(1));
        assertThat(held.isHeld()).isTrue();

        // Nobody is told: as if the message had been lost.
        long lost = System.nanoTime();
        server.cli().del(queue.name());

        get(next).close();
        assertThat(millisSince(lost)).isLessThan(2_500 + 700);
    }

    @Test
    void nameThatIsHeldAsAnotherKindIsRefusedWithBoth() {
        LockClient client = clients.get(0);
        try (Lease fair = queue.held(client)) {
            assertThat(catchThrowable(() -> client.getLock(queue.name()).tryLock()))
                    .hasMessageContaining("fair")
                    .hasMessageContaining("plain (re-entrant)");
            assertThat(fair.verify()).isTrue();
        }
        try (Lease plain = client.getLock(queue.name()).acquire(AcquireOptions.defaults())) {
            assertThat(catchThrowable(() -> queue.held(client)))
                    .hasMessageContaining("fair")
                    .hasMessageContaining("plain (re-entrant)");
            assertThat(plain.verify()).isTrue();
            assertThat(queue.isGone()).isTrue();
        }
    }
}
