package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code CLUSTER MIGRATESLOTS} of Valkey 9, which moves a slot with all its keys in one step. It runs where {@code .ci/engines} gets such a server. */
@Timeout(Await.TEST_SECONDS)
class AtomicSlotMoveTest {

    @BeforeAll
    static void serverKnowsTheCommand() {
        assumeTrue(RedisServer.shared().isValkey9(), RedisServer.shared() + " moves no slot at once");
    }

    @Test
    void lockIsHeldAndWaitedForThroughTheMove() {
        try (RedisCluster cluster = RedisCluster.start();
                LockClient holder = client(cluster);
                LockClient waiter = client(cluster)) {
            String name = name("moved-at-once");
            RedisServer source = cluster.masterOf(name);
            Lease lease = held(holder, name);
            CompletableFuture<Lease> next = wanted(waiter, name);
            Await.until("it waits", Await.PATIENCE, () -> source.cli().llen("redisson_lock_queue:{" + name + "}") == 1);

            cluster.migrationOf(name, cluster.otherMasterThanOf(name)).atOnce();

            assertThat(cluster.masterOf(name)).isNotSameAs(source);
            assertThat(lease.verify()).isTrue();
            assertThat(waiter.getLock(name).tryAcquire()).isEmpty();
            assertThat(next).isNotDone();
            lease.close();
            try (Lease granted = get(next)) {
                assertThat(granted.fencingToken()).isGreaterThan(lease.fencingToken());
            }
        }
    }

    /** The poll is longer than a test, so that only the release can wake the waiter. */
    private static LockClient client(RedisCluster cluster) {
        return Waits.client(cluster).pollInterval(Duration.ofMinutes(5)).build();
    }
}
