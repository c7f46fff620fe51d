package dev.holdfast.lock.redis;

import static dev.holdfast.lock.redis.Waits.get;
import static dev.holdfast.lock.redis.Waits.millisSince;
import static dev.holdfast.lock.redis.Waits.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.testing.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiters that die cost those behind them one short deadline, however many they were, and make nobody spin. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(60)
class FairDeadWaitersTest {

    private static final long DEADLINE_MILLIS = 5_000;
    private static final long MARGIN_MILLIS = 1_000;

    @Test
    void fiftyWaitersOfAKilledProcessCostOneDeadline() throws Exception {
        RedisServer server = RedisServer.shared();
        FairQueue queue = new FairQueue(server);
        try (LockClient client = Waits.client(server).build()) {
            Lease held = queue.held(client);
            Process process = Waiters.start(server, queue.name(), 50);
            try {
                queue.awaitLength(50);
                CompletableFuture<Lease> behind = queue.queued(client);

                process.destroyForcibly().waitFor();
                long died = System.nanoTime();
                held.close();

                get(behind).close();
                assertThat(millisSince(died)).isBetween(1_000L, DEADLINE_MILLIS + MARGIN_MILLIS);
                assertThat(queue.isGone()).isTrue();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** The peer's fault: there the head blocks for minutes, and everybody behind it asks without a pause. */
    @Test
    void nobodySpinsBehindADeadHead() {
        try (RedisServer server = RedisServer.start();
                LockClient one = Waits.client(server).build();
                LockClient other = Waits.client(server).build()) {
            FairQueue queue = new FairQueue(server);
            queue.plant("dead:1:1", Duration.ofSeconds(4));
            List<CompletableFuture<Lease>> waiters = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                waiters.add(queue.queued(one));
                waiters.add(queue.queued(other));
            }
            server.resetStats();
            Pause.of(Duration.ofSeconds(2));
            long questions = server.commandStats().getOrDefault("evalsha", 0L);

            // A poll of a second, and perhaps the second question after subscribing.
            assertThat(questions).isBetween(20L, 20L * 4);
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
        try (LockClient client = Waits.client(server).build()) {
            // Once behind waiters of Redisson, who have gone since.
            queue.plant("dead:1:1", Duration.ofMinutes(10));
            queue.plant("dead:1:2", Duration.ofMinutes(5));
            long began = System.nanoTime();

            queue.held(client).close();

            assertThat(millisSince(began)).isLessThan(DEADLINE_MILLIS + MARGIN_MILLIS);
        }
    }

    /** Another process, which waits until it is killed. */
    static final class Waiters {

        private Waiters() {}

        static Process start(RedisServer server, String name, int count) throws java.io.IOException {
            return new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx64m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Waiters.class.getName(),
                            server.uri().toURI().toString(),
                            name,
                            Integer.toString(count))
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
