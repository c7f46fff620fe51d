package dev.holdfast.lock.redis.waiting;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.millisSince;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.FairQueue;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ChildProcess;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Waiters whose process was killed cost those behind them nothing, as soon as Redis has seen their connections end. A waiter whose process was stopped
 * is still granted the lock: it costs its first lease and a poll.
 */
@Timeout(Await.TEST_SECONDS)
@Nightly(inEachBuild = "QueueScriptTest, and processes that are killed or stand still in the simulation")
@OneAtATime
class DeadWaitersTest {

    private static final long FIRST_LEASE_MILLIS = 3_000;
    private static final long POLL_MILLIS = 1_000;
    private static final long LONGEST_SLEEP_MILLIS = 2_500;
    private static final long MARGIN_MILLIS = 1_500;

    private final RedisServer server = RedisServer.shared();
    private final FairQueue queue = new FairQueue(server);
    private final LockClient client = Waits.client(server).build();
    private Process process;

    @AfterEach
    void close() {
        process.destroyForcibly();
        client.close();
    }

    private void start(LockKind kind, int count) throws IOException {
        process = ChildProcess.running(
                        Waiters.class,
                        server.uri().toURI().toString(),
                        queue.name(),
                        kind.name(),
                        Integer.toString(count))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        queue.awaitLength(count);
        queue.awaitHearing();
    }

    @Test
    void fiftyWaitersOfAKilledProcessCostLessThanOneDeadlineAndTheirPlacesEndByThemselves() throws Exception {
        Lease held = queue.held(client);
        start(LockKind.FAIR, 50);
        CompletableFuture<Lease> behind = queue.queued(client);
        process.destroyForcibly().waitFor();
        awaitListeners(server, queue.name(), 1);
        long died = System.nanoTime();

        held.close();

        get(behind).close();
        // Those far from the head ask every two and a half seconds.
        assertThat(millisSince(died)).isLessThan(LONGEST_SLEEP_MILLIS + MARGIN_MILLIS);
        long next = System.nanoTime();
        queue.held(client).close();
        assertThat(millisSince(next)).as("ms that the dead cost the next").isLessThan(MARGIN_MILLIS);
        Await.until("their deadlines are over", Await.PATIENCE, () -> {
            queue.held(client).close();
            return queue.isGone();
        });
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void stoppedWaiterCostsItsFirstLeaseAndAPollAndHoldsNothingWhenItGoesOn() throws Exception {
        Lease first = Waits.held(client, queue.name());
        start(LockKind.REENTRANT, 1);
        try (LockClient behind = Waits.client(server).build();
                BufferedReader told = process.inputReader(StandardCharsets.UTF_8)) {
            CompletableFuture<Lease> next = Waits.wanted(behind, queue.name());
            queue.awaitLength(2);
            queue.awaitHearing();
            ChildProcess.signal(process, "STOP");
            long released = System.nanoTime();
            first.close();
            Lease lease = get(next);
            long waited = millisSince(released);
            ChildProcess.signal(process, "CONT");

            assertThat(waited).isBetween(FIRST_LEASE_MILLIS - 1_000, FIRST_LEASE_MILLIS + POLL_MILLIS + MARGIN_MILLIS);
            // It reads the message of a grant that is over, and must ask: the lock is held.
            Await.until(
                    "it is in the queue again", TwoClients.PATIENCE, () -> Waits.listeners(server, queue.name()) == 1);
            assertThat(told.ready()).as("it has the lock").isFalse();
            assertThat(lease.verify()).isTrue();
            lease.close();
            assertThat(Long.parseLong(told.readLine())).isGreaterThan(lease.fencingToken());
        }
    }

    /** Another process: says which tokens its waiters got. */
    static final class Waiters {

        private Waiters() {}

        public static void main(String[] args) {
            LockClient client = Waits.client(RedisSource.of(args[0])).build();
            List<CompletableFuture<Void>> waiters = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                waiters.add(client.getLock(args[1], LockKind.valueOf(args[2]))
                        .acquireAsync(Waits.waiting(Waits.LONG))
                        .thenAccept(lease -> {
                            System.out.println(lease.fencingToken());
                            lease.close();
                        })
                        .toCompletableFuture());
            }
            waiters.forEach(CompletableFuture::join);
            client.close();
        }
    }
}
