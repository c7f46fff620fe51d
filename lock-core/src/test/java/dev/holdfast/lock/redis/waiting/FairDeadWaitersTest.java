package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static dev.holdfast.lock.redis.fixture.Waits.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.redis.fixture.WakeChannel;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ChildProcess;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Waiters that die cost those behind them nothing, however many they were, as soon as Redis has seen their connections end. Those that it
 * still takes for alive cost one short deadline. Neither make anybody spin.
 */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(60)
class FairDeadWaitersTest {

    private static final long DEADLINE_MILLIS = 5_000;
    private static final long LONGEST_SLEEP_MILLIS = 2_500;
    private static final long MARGIN_MILLIS = 1_000;

    @Test
    void fiftyWaitersOfAKilledProcessCostLessThanOneDeadlineAndTheirPlacesEndByThemselves() throws Exception {
        RedisServer server = RedisServer.shared();
        FairQueue queue = new FairQueue(server);
        try (LockClient client = Waits.client(server).build()) {
            Lease held = queue.held(client);
            Process process = Waiters.start(server, queue.name(), 50);
            try {
                queue.awaitLength(50);
                queue.awaitHearing();
                CompletableFuture<Lease> behind = queue.queued(client);

                process.destroyForcibly().waitFor();
                Waits.awaitListeners(server, queue.name(), 1);
                long died = System.nanoTime();
                held.close();

                get(behind).close();
                // Those far from the head ask every two and a half seconds.
                assertThat(millisSince(died)).isLessThan(LONGEST_SLEEP_MILLIS + MARGIN_MILLIS);
                long next = System.nanoTime();
                queue.held(client).close();
                assertThat(millisSince(next))
                        .as("ms that the dead cost the next")
                        .isLessThan(MARGIN_MILLIS);
                Await.until("their deadlines are over", Duration.ofSeconds(2 * DEADLINE_MILLIS / 1000), () -> {
                    queue.held(client).close();
                    return queue.isGone();
                });
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** Redisson's fault: there the head blocks for minutes, and everybody behind it asks without a pause. */
    @Test
    void nobodySpinsBehindADeadHead() {
        try (RedisServer server = RedisServer.start();
                LockClient one = Waits.client(server).build();
                LockClient other = Waits.client(server).build()) {
            FairQueue queue = new FairQueue(server);
            // A Redisson client's, whose protocol rules: ours would be passed over.
            queue.plant("dead:1", Duration.ofSeconds(4));
            List<CompletableFuture<Lease>> waiters = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                waiters.add(queue.queued(one));
                waiters.add(queue.queued(other));
            }
            server.resetStats();
            Pause.of(Duration.ofSeconds(2));
            long questions = server.commandStats().getOrDefault("evalsha", 0L);

            // The two behind the head ask every second, the others once in two seconds or more.
            assertThat(questions).isBetween(2L, 2 * 4 + 18L);
            assertThat(waiters).noneMatch(CompletableFuture::isDone);
            long began = System.nanoTime();
            waiters.forEach(waiter -> get(waiter).close());
            assertThat(millisSince(began)).isLessThan(DEADLINE_MILLIS + MARGIN_MILLIS);
        }
    }

    @Test
    void waitersBehindALivingHolderAskOnceAPollAndAreHeardOfInTime() {
        try (RedisServer server = RedisServer.start();
                LockClient holder = Waits.client(server).build();
                LockClient client =
                        Waits.client(server).pollInterval(Duration.ofMinutes(1)).build()) {
            FairQueue queue = new FairQueue(server);
            Lease held = queue.held(holder);
            List<CompletableFuture<Lease>> waiters = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waiters.add(queue.queued(client));
            }
            server.resetStats();
            long lowest = Long.MAX_VALUE;
            long began = System.nanoTime();
            while (millisSince(began) < 3_000) {
                String head = queue.owners().get(0);
                lowest = Math.min(lowest, queue.millisLeft(head));
                Pause.of(Duration.ofMillis(50));
            }

            assertThat(lowest).as("ms left of the head's deadline").isGreaterThan(1_000);
            // The renewals of the holder are among them.
            assertThat(server.commandStats().getOrDefault("evalsha", 0L)).isLessThan(20L * 4);
            held.close();
            waiters.forEach(waiter -> get(waiter).close());
        }
    }

    @Test
    void deadlineOfADeadWaiterThatReachesTooFarIsCut() {
        RedisServer server = RedisServer.shared();
        FairQueue queue = new FairQueue(server);
        String dead = UUID.randomUUID().toString();
        try (LockClient client = Waits.client(server).build();
                WakeChannel paused = WakeChannel.of(server, dead)) {
            // Once behind waiters of Redisson, who have gone since. They are asked for ever: their process is paused,
            // not ended.
            queue.plant(dead + ":1:1:0", Duration.ofMinutes(10));
            queue.plant(dead + ":1:2:0", Duration.ofMinutes(5));
            long began = System.nanoTime();

            queue.held(client).close();

            assertThat(millisSince(began)).isBetween(1_000L, DEADLINE_MILLIS + MARGIN_MILLIS);
            assertThat(paused.heard()).contains(dead + ":1:1:0");
        }
    }

    /** Another process, which waits until it is killed. */
    static final class Waiters {

        private Waiters() {}

        static Process start(RedisServer server, String name, int count) throws java.io.IOException {
            return ChildProcess.running(Waiters.class, server.uri().toURI().toString(), name, Integer.toString(count))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }

        public static void main(String[] args) throws InterruptedException {
            LockClient client = RedisLockClient.builder(RedisSource.of(args[0]))
                    .checkAtStart(false)
                    .build();
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                client.getLock(args[1], LockKind.FAIR).acquireAsync(waiting(Waits.LONG));
            }
            new CountDownLatch(1).await();
        }
    }
}
