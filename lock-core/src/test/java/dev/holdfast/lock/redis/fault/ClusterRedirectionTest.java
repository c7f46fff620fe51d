package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.proxy.FaultProxy.Direction;
import dev.holdfast.lock.redis.ClientAccess;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.ProxiedCluster;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster behind one proxy for each node: what a node redirects. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(Await.TEST_SECONDS)
class ClusterRedirectionTest {

    private static final Duration LIMIT = Await.PATIENCE;

    @AutoClose
    private static ProxiedCluster proxied;

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        proxied = new ProxiedCluster();
        cluster = proxied.cluster();
    }

    /** Since Lettuce 7 it is on by default. Lettuce 6 has no method that turns it off. */
    private static ClusterTopologyRefreshOptions withoutAdaptiveRefresh() {
        ClusterTopologyRefreshOptions.Builder builder = ClusterTopologyRefreshOptions.builder();
        try {
            builder.getClass().getMethod("disableAllAdaptiveRefreshTriggers").invoke(builder);
        } catch (NoSuchMethodException offByDefault) {
            return builder.build();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        return builder.build();
    }

    @Test
    void redirectedAcquisitionNeverArrivesAfterItWasTakenBack() {
        String name = "moved";
        RedisServer source = cluster.masterOf(name);
        RedisServer target = cluster.otherMasterThanOf(name);
        RedisClusterClient application = proxied.client(withoutAdaptiveRefresh());
        try (LockClient client = Waits.client(
                        RedisSource.of(application, proxied.cluster().uris().get(0)))
                .commandTimeout(Duration.ofSeconds(4))
                .build()) {
            client.getLock(name).acquire().close();
            // So that the new owner knows the script.
            client.getLock(Waits.nameAt(cluster, master -> master == target))
                    .acquire()
                    .close();
            long releasesBefore = Waits.scripts(target);
            proxied.proxyOf(source).holdBack(Direction.TO_SERVER);
            CompletableFuture<?> acquisition = client.getLock(name)
                    .tryAcquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ZERO))
                    .toCompletableFuture();
            cluster.migrate(name, target);
            application.refreshPartitions();
            assertThat(acquisition).as("still on its way to the old owner").isNotDone();
            assertThat(acquisition).failsWithin(LIMIT);
            Await.until("it is taken back at the new owner", LIMIT, () -> Waits.scripts(target) > releasesBefore);
            Await.until(
                    "the take-back has ended",
                    LIMIT,
                    () -> ClientAccess.released(client).isDone());

            proxied.proxyOf(source).heal();

            // The old owner redirects the acquisition now. Granted, it would stay for 30 s.
            Pause.of(Duration.ofSeconds(2));
            assertThat(target.cli().exists(name)).as("locks that nobody holds").isZero();
        } finally {
            application.shutdown(0, 0, TimeUnit.SECONDS);
        }
    }
}
