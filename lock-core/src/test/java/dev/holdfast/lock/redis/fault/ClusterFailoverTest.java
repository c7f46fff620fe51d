package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import dev.holdfast.lock.testing.SlotMigration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@Nightly(inEachBuild = "ClusterRedirectionTest, and failovers in the simulation")
class ClusterFailoverTest {

    private static final Duration LIMIT = Await.PATIENCE;
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration COMMAND = Duration.ofMillis(600);

    @AutoClose
    private static RedisCluster cluster;

    @AutoClose
    private LockClient client;

    @AutoClose
    private LockClient other;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @BeforeEach
    void connect() {
        client = client();
        other = client();
    }

    private static LockClient client() {
        return Waits.client(cluster).pollInterval(POLL).commandTimeout(COMMAND).build();
    }

    @Test
    void slotThatMovesUnderLoadCostsNoCallerAnError() throws Exception {
        String name = name("moving");
        AtomicInteger grants = new AtomicInteger();
        AtomicBoolean moved = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> working = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            LockClient mine = i % 2 == 0 ? client : other;
            working.add(threads.submit(() -> {
                while (!moved.get()) {
                    held(mine, name).close();
                    grants.incrementAndGet();
                }
            }));
        }
        try {
            for (int i = 0; i < 3; i++) {
                int before = grants.get();
                Await.until("some grants", Await.PATIENCE, () -> grants.get() > before + 50);
                RedisServer source = cluster.masterOf(name);
                source.resetStats();
                SlotMigration migration = cluster.migrationOf(name, cluster.otherMasterThanOf(name))
                        .begin();
                // The lock is free and its token is not: the slot's keys are here and there, and the script is refused.
                Await.until(
                        "a refusal",
                        Await.PATIENCE,
                        () -> source.info("errorstats").containsKey("errorstat_TRYAGAIN"));
                migration.moveKeys().finish();
            }
            int before = grants.get();
            Await.until("grants after the moves", Await.PATIENCE, () -> grants.get() > before + 50);
        } finally {
            moved.set(true);
            threads.shutdown();
        }
        for (Future<?> each : working) {
            each.get();
        }
    }

    @Test
    void callerThatComesWhileItsSlotMovesWaits() {
        String name = name("arriving");
        Lease lease = held(other, name);
        SlotMigration migration = beginToMove(name);

        // The lock is there, and the keys of its line are nowhere: the script may not write them here.
        CompletableFuture<Lease> next = wanted(client, name);
        awaitRefusal(name);
        assertThat(next).isNotDone();

        migration.moveKeys().finish();
        lease.close();
        get(next).close();
    }

    @Test
    void releaseWhileItsSlotMovesIsRepeated() {
        String name = name("leaving");
        Lease lease = held(other, name);
        CompletableFuture<Lease> next = wanted(client, name);
        RedisServer source = cluster.masterOf(name);
        Await.until("it waits", LIMIT, () -> source.cli().llen("redisson_lock_queue:{" + name + "}") == 1);
        SlotMigration migration = beginToMove(name);

        // The script deletes the lock, and may not write it again for the next holder.
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        awaitRefusal(name);
        assertThat(released).isNotDone();

        migration.moveKeys().finish();
        released.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        get(next).close();
    }

    private static SlotMigration beginToMove(String name) {
        cluster.masterOf(name).resetStats();
        return cluster.migrationOf(name, cluster.otherMasterThanOf(name)).begin();
    }

    /** The slot is its old master's until the move ends. */
    private static void awaitRefusal(String name) {
        RedisServer source = cluster.masterOf(name);
        Await.until("a refusal", LIMIT, () -> source.info("errorstats").containsKey("errorstat_ERR"));
    }
}
