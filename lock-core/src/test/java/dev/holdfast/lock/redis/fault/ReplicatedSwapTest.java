package dev.holdfast.lock.redis.fault;

import static dev.holdfast.lock.redis.fixture.Waits.awaitListeners;
import static dev.holdfast.lock.redis.fixture.Waits.get;
import static dev.holdfast.lock.redis.fixture.Waits.held;
import static dev.holdfast.lock.redis.fixture.Waits.name;
import static dev.holdfast.lock.redis.fixture.Waits.wanted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisReplication;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@Nightly(inEachBuild = "failovers in the simulation")
class ReplicatedSwapTest {

    private static final Duration POLL = Duration.ofMillis(400);

    @Test
    void locksFollowTheMasterWhenAnOperatorSwapsItWithAReplica() {
        try (RedisReplication group = RedisReplication.start(1)) {
            RedisServer master = group.master();
            RedisServer replica = group.replicas().get(0);
            try (LockClient holder = client(group);
                    LockClient waiter = client(group)) {
                String name = name("swapped");
                Lease lease = held(holder, name);
                CompletableFuture<Lease> next = wanted(waiter, name);
                awaitListeners(master, name, 1);
                group.awaitReplicated();

                replica.cli().replicaofNoOne();
                master.cli().replicaof("127.0.0.1", replica.port());
                long began = System.nanoTime();
                lease.close();

                get(next).close();
                Waits.assertSoon(began, POLL.multipliedBy(2));
                Lease after = held(holder, name);
                assertThat(replica.cli().exists(name)).isOne();
                CompletableFuture<Lease> later = wanted(waiter, name);
                // Where the releases are published from now on.
                awaitListeners(replica, name, 1);
                after.close();
                get(later).close();
            }
        }
    }

    private static LockClient client(RedisReplication group) {
        return Waits.client(RedisSource.replicated(
                        group.master().uri(), group.replicas().get(0).uri()))
                .pollInterval(POLL)
                .commandTimeout(Duration.ofMillis(500))
                .build();
    }
}
