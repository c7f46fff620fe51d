package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisReplication;
import io.lettuce.core.UnblockType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks that count only once a replica has them. */
@Timeout(Await.TEST_SECONDS)
class MinReplicasTest {

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofMillis(300);

    @AutoClose
    private static RedisReplication redis;

    private final RecordingListener listener = new RecordingListener();
    private final LockClient client = Waits.client(redis.master())
            .commandTimeout(PATIENCE)
            .minReplicas(1)
            .listener(listener)
            .build();

    @BeforeAll
    static void start() {
        redis = RedisReplication.start(1);
    }

    @AfterEach
    void close() {
        redis.replicas().get(0).resume();
        client.close();
    }

    @Test
    void guardedWriteThatNoReplicaConfirmsIsUnavailableAndTheLeaseStays() {
        try (Lease lease = client.getLock("guarding").acquire()) {
            redis.replicas().get(0).pause();
            assertThatThrownBy(() -> lease.guard().set("guarded", "unconfirmed"))
                    .isInstanceOf(LockUnavailableException.class);
            assertThat(lease.isHeld()).isTrue();
            redis.replicas().get(0).resume();
            lease.guard().set("guarded", "confirmed");
            assertThat(redis.replicas().get(0).cli().get("guarded")).isEqualTo("confirmed");
        }
    }

    @Test
    void acquisitionsFailWithinTheirBudgetAndLeaveNothingWhereTheReplicaStandsStill() {
        client.getLock("before").acquire().close();
        redis.replicas().get(0).pause();

        List<CompletableFuture<Duration>> first = failing("first-", 1);
        awaitWritten("first-0");
        List<CompletableFuture<Duration>> second = failing("second-", 3);
        awaitWritten("second-2");
        // These come behind three WAITs: Redis gets to them when nobody wants them any more.
        List<CompletableFuture<Duration>> third = failing("third-", 3);

        Stream.of(first, second, third)
                .flatMap(List::stream)
                .forEach(failed -> assertThat(failed.join())
                        .as("the wait and one command timeout, and not what is before it in the queue")
                        .isLessThan(WAIT.plus(PATIENCE).plusSeconds(2)));
        // Behind whatever the connections still hold; the leases that nobody was given would last for 30 s.
        Pause.of(PATIENCE.multipliedBy(3));
        Await.until(
                "nothing is left",
                Await.PATIENCE,
                () -> redis.master().cli().keys("*-[0-9]").isEmpty());
        assertThat(client.heldLocks()).isEmpty();
    }

    private static void awaitWritten(String key) {
        Await.until(
                key + " is written, and waits for the replica",
                Await.PATIENCE,
                () -> redis.master().cli().exists(key) == 1);
    }

    /** How long each took to fail. */
    private List<CompletableFuture<Duration>> failing(String name, int count) {
        long begin = System.nanoTime();
        return IntStream.range(0, count)
                .mapToObj(i -> client.getLock(name + i)
                        .acquireAsync(AcquireOptions.defaults().waitAtMost(WAIT))
                        .toCompletableFuture()
                        .handle((lease, failure) -> {
                            assertThat(failure).isInstanceOf(LockUnavailableException.class);
                            return Duration.ofNanos(System.nanoTime() - begin);
                        }))
                .toList();
    }

    @Test
    void roleChangeDuringTheWaitForReplicasIsRetriedWithinTheBudget() {
        client.getLock("before").acquire().close();
        redis.replicas().get(0).pause();
        CompletableFuture<Lease> acquired = client.getLock("unblocked")
                .acquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ofMinutes(1)))
                .toCompletableFuture();
        Await.until("WAIT is answered as at a role change", Await.PATIENCE, MinReplicasTest::unblock);
        redis.replicas().get(0).resume();

        assertThat(acquired).succeedsWithin(Duration.ofSeconds(30));

        acquired.join().close();
        Await.until(
                "nothing is left", Await.PATIENCE, () -> redis.master().cli().exists("unblocked") == 0);
    }

    /** Redis answers UNBLOCKED to clients that wait while it becomes a replica. */
    private static boolean unblock() {
        RedisCommands<String, String> cli = redis.master().cli();
        return cli.clientList()
                .lines()
                .filter(line -> line.contains("cmd=wait"))
                .map(line -> Long.parseLong(line.replaceAll("id=(\\d+) .*", "$1")))
                .anyMatch(id -> cli.clientUnblock(id, UnblockType.ERROR) == 1);
    }

    @Test
    void stalledReplicaCostsNoOtherLockItsRenewal() {
        Duration lease = Duration.ofSeconds(5);
        try (LockClient renewing = Waits.client(redis.master())
                .watchdogTimeout(lease)
                .commandTimeout(PATIENCE)
                .minReplicas(1)
                .listener(listener)
                .build()) {
            Lease held = renewing.getLock("held").acquire();
            redis.replicas().get(0).pause();
            CompletableFuture<Lease> stalled = renewing.getLock("stalled")
                    .acquireAsync(AcquireOptions.defaults().waitAtMost(lease.plusSeconds(1)))
                    .toCompletableFuture();

            assertThat(stalled).failsWithin(Duration.ofSeconds(45));

            assertThat(held.isHeld()).isTrue();
            assertThat(listener.losses).isEmpty();
            assertThat(listener.troubles).hasValue(0);
            held.close();
        }
    }
}
