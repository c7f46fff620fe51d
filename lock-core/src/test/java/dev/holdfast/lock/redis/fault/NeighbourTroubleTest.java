package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to one lock costs no other its lease. */
@Timeout(Await.TEST_SECONDS)
class NeighbourTroubleTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private final RecordingListener listener = new RecordingListener();

    @Test
    void oneStoppedClusterMasterCostsOnlyItsOwnLocks() {
        try (RedisCluster cluster = RedisCluster.start();
                LockClient client = Waits.client(cluster)
                        .watchdogTimeout(LEASE)
                        .listener(listener)
                        .build()) {
            List<Lease> leases = Stream.generate(() -> Waits.held(client, Waits.name("neighbour")))
                    .limit(60)
                    .toList();
            RedisServer stopped = cluster.masterOf(leases.get(0).lockName());
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
