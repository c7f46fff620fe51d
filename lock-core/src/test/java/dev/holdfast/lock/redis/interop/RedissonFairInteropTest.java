package dev.holdfast.lock.redis.interop;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RedissonClientFixture;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fair locks of Holdfast (H) and of Redisson (R) under one name. */
@Timeout(Await.TEST_SECONDS)
class RedissonFairInteropTest {

    /** Longer than a test has. */
    private static final Duration LEASE = Duration.ofMinutes(10);

    private static RedisServer server;
    private static LockClient here;
    private static LockClient there;
    private static RedissonClientFixture redisson;
    private static RedissonClientFixture otherPeer;

    private final FairQueue queue = new FairQueue(server);

    @BeforeAll
    static void open() {
        server = RedisServer.start();
        here = client();
        there = client();
        redisson = RedissonClientFixture.of(server);
        otherPeer = RedissonClientFixture.of(server);
    }

    private static LockClient client() {
        return Waits.client(server).watchdogTimeout(LEASE).build();
    }

    @AfterAll
    static void close() {
        redisson.close();
        otherPeer.close();
        here.close();
        there.close();
        server.close();
    }

    @Test
    void forcedReleaseOfOursWakesItsWaiter() throws Exception {
        queue.held(here);
        CompletableFuture<Long> waiter = itsWaiter(redisson);
        awaitListener(queue.owners().get(0));

        there.forceRelease(queue.name());

        ScriptedThread.outcome(waiter);
        redisson.run(redisson.fair(queue.name())::unlock);
    }

    /** Queues up behind those who wait already, and stays the holder. */
    private CompletableFuture<Long> itsWaiter(RedissonClientFixture waiting) {
        long before = queue.owners().size();
        CompletableFuture<Long> waiter = waiting.start(() -> {
            waiting.fair(queue.name()).lock();
            return System.nanoTime();
        });
        queue.awaitLength(before + 1);
        return waiter;
    }

    private void awaitListener(String owner) {
        Waits.awaitChannel(server, "redisson_lock__channel:{" + queue.name() + "}:" + owner, 1);
    }

    @Test
    void waitersOfBothAreServedInTheOrderOfTheirArrival() throws Exception {
        Lease held = queue.held(there);
        Queue<String> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> all = new ArrayList<>();
        all.add(ourTurn(served, "H1", here));
        all.add(itsTurn(served, "R2", redisson));
        all.add(ourTurn(served, "H3", there));
        all.add(itsTurn(served, "R4", otherPeer));
        all.add(ourTurn(served, "H5", here));
        // Long enough for deadlines that nobody moves on to be over.
        awaitFirstRefresh();

        held.close();

        for (CompletableFuture<?> turn : all) {
            ScriptedThread.outcome(turn, Waits.LONG);
        }
        assertThat(served).containsExactly("H1", "R2", "H3", "R4", "H5");
        assertThat(queue.isGone()).isTrue();
    }

    private CompletableFuture<Void> ourTurn(Queue<String> served, String who, LockClient client) {
        return queue.queued(client).thenAccept(lease -> {
            served.add(who);
            lease.close();
        });
    }

    private CompletableFuture<Void> itsTurn(Queue<String> served, String who, RedissonClientFixture waiting) {
        long before = queue.owners().size();
        CompletableFuture<Void> turn = waiting.start(() -> {
            waiting.fair(queue.name()).lock();
            served.add(who);
            waiting.fair(queue.name()).unlock();
            return null;
        });
        queue.awaitLength(before + 1);
        return turn;
    }

    private void awaitFirstRefresh() {
        // Time is the subject: our waiters ask again every two and a half seconds.
        Pause.of(Duration.ofMillis(2_600));
    }

    @Test
    void itsTakingTheLockDoesNotCostThoseBehindItTheirPlace() throws Exception {
        Lease held = queue.held(there);
        CompletableFuture<Long> its = itsWaiter(redisson);
        CompletableFuture<Lease> first = queue.queued(here);
        CompletableFuture<Lease> second = queue.queued(there);
        List<String> ours = queue.owners().subList(1, 3);

        // Lowers every deadline behind it by five minutes.
        held.close();
        ScriptedThread.outcome(its);

        assertThat(queue.owners()).isEqualTo(ours);
        assertThat(queue.millisLeft(ours.get(0))).isBetween(1_000L, 5_000L);
        assertThat(queue.millisLeft(ours.get(1))).isBetween(1_000L, 5_000L);
        assertThat(here.getLock(queue.name(), LockKind.FAIR).tryLock()).isFalse();
        assertThat(queue.owners()).isEqualTo(ours);
        redisson.run(redisson.fair(queue.name())::unlock);
        get(first).close();
        get(second).close();
    }

    @Test
    void itsWaiterThatGivesUpDoesNotCostThoseBehindItTheirPlace() throws Exception {
        Lease held = queue.held(there);
        CompletableFuture<Boolean> its =
                redisson.start(() -> redisson.fair(queue.name()).tryLock(600, TimeUnit.MILLISECONDS));
        queue.awaitLength(1);
        CompletableFuture<Lease> first = queue.queued(here);

        assertThat(ScriptedThread.outcome(its)).isFalse();

        assertThat(queue.owners()).hasSize(1);
        assertThat(first).isNotDone();
        held.close();
        get(first).close();
    }

    /** It cannot be told from a living one: it costs the rest of the lease and the wait that it asked for, and makes nobody spin. */
    @Test
    void itsDeadWaiterCostsItsOwnDeadlineAndNobodySpins() throws Exception {
        there.getLock(queue.name(), LockKind.FAIR).lock(Duration.ofSeconds(2));
        RedissonClientFixture dying = RedissonClientFixture.of(server);
        dying.start(() -> dying.fair(queue.name()).tryLock(3, TimeUnit.SECONDS));
        queue.awaitLength(1);
        long deadline = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(queue.millisLeft(queue.owners().get(0)));
        dying.redisson().shutdown(0, 0, TimeUnit.SECONDS);
        CompletableFuture<Lease> ours = queue.queued(here);
        server.resetStats();

        get(ours).close();

        assertThat(System.nanoTime() - deadline).isNotNegative();
        // One that spins sends hundreds.
        assertThat(server.commandStats().getOrDefault("evalsha", 0L)).isLessThan(100);
        dying.close();
    }
}
