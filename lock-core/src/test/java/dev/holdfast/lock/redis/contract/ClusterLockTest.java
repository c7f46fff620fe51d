package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.testing.RedisCluster;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cluster, found by seeds. */
@Tag("cluster")
class ClusterLockTest {

    @AutoClose
    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @Nested
    class BySeeds extends LockContract {

        @Override
        protected Topology open() {
            RedisURI[] seeds = cluster.uris().stream().limit(2).toArray(RedisURI[]::new);
            return new Topology(
                    () -> RedisSource.cluster(seeds),
                    key -> cluster.masterOf(key).cli(),
                    () -> {});
        }
    }

    @Nested
    class WithLeastRights {

        /** The keys of a name with a hash tag are in that tag's slot. */
        @ParameterizedTest
        @EnumSource
        void userOfTheFileLocksWaitsAndFindsNothingWrong(ContractKind kind) throws Exception {
            cluster.servers().forEach(server -> LeastRights.grant(server, LeastRights.USER, "nothing"));
            RedisURI seed = RedisURI.builder(cluster.uris().get(0))
                    .withAuthentication(LeastRights.USER, LeastRights.PASSWORD)
                    .build();
            Topology topology = new Topology(
                    () -> RedisSource.cluster(seed),
                    key -> cluster.masterOf(key).cli(),
                    () -> {});
            try (TwoClients clients = new TwoClients(topology, kind)) {
                String name = kind == ContractKind.MULTI ? clients.name() : "{tenant}:" + clients.name();
                // Waits until the connections stand, which on a busy machine may take longer than one answer may.
                clients.here(name).lock();
                clients.here(name).unlock();
                assertThat(ScriptedThread.outcome(clients.here().selfCheck().toCompletableFuture())
                                .findings())
                        .isEmpty();
                clients.here(name).lock(Duration.ofMinutes(1));
                ContractPart.assertWakesAWaiter(clients, name, clients.here(name)::unlock, () -> {});
                assertThat(cluster.servers())
                        .allSatisfy(server -> assertThat(server.cli().aclLog()).isEmpty());
            }
        }
    }
}
