package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to one lock costs no other its lease. */
@Timeout(60)
class NeighbourTroubleTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final RecordingListener listener = new RecordingListener();
    private final String name = "neighbour-" + UUID.randomUUID() + "-";

    private LockClient client(RedisSource source) {
        return Waits.client(source).watchdogTimeout(LEASE).listener(listener).build();
    }

    private List<Lease> acquire(LockClient client, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> client.getLock(name + i).acquire())
                .toList();
    }

    @Test
    void oneKeyOfTheWrongTypeIsOneLossAndNoMore() {
        RedisServer server = RedisServer.shared();
        try (LockClient client = client(RedisSource.of(server.uri()))) {
            List<Lease> leases = acquire(client, 50);
            server.cli().set(name + 25, "something else");

            listener.awaitLosses(1);
            Pause.of(LEASE);

            assertThat(listener.losses).extracting(LeaseLoss::lockName).containsExactly(name + 25);
            assertThat(leases).filteredOn(Lease::isHeld).hasSize(49);
            assertThat(server.cli().get(name + 25)).isEqualTo("something else");
            server.cli().del(name + 25);
        }
    }

    @Test
    void oneStoppedClusterMasterCostsOnlyItsOwnLocks() {
        try (RedisCluster cluster = RedisCluster.start();
                LockClient client = client(RedisSource.cluster(cluster.uris().toArray(RedisURI[]::new)))) {
            List<Lease> leases = acquire(client, 60);
            RedisServer stopped = cluster.masterOf(name + 0);
            List<Lease> elsewhere = leases.stream()
                    .filter(lease -> cluster.masterOf(lease.lockName()) != stopped)
                    .toList();
            assertThat(elsewhere).hasSizeBetween(10, 55);
            stopped.pause();

            listener.awaitLosses(leases.size() - elsewhere.size());
            Pause.of(LEASE);

            assertThat(elsewhere).allMatch(Lease::isHeld);
            assertThat(listener.losses).hasSize(leases.size() - elsewhere.size());
            assertThat(listener.losses).extracting(LeaseLoss::cause).containsOnly(LossCause.UNCONFIRMED);
            stopped.resume();
        }
    }
}
