package dev.holdfast.lock.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.ClientAccess;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.FaultProxy.Direction;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster behind one proxy for each node: what a node redirects. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
@Timeout(120)
class ClusterRedirectionTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static RedisCluster cluster;
    private static Map<Integer, FaultProxy> proxies;
    private static ClientResources resources;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        proxies = cluster.servers().stream()
                .map(RedisServer::port)
                .collect(Collectors.toMap(Function.identity(), FaultProxy::to));
        resources = ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(
                        DnsResolvers.UNRESOLVED,
                        address -> HostAndPort.of(
                                "127.0.0.1", proxies.get(address.getPort()).port())))
                .build();
    }

    @AfterAll
    static void stop() {
        proxies.values().forEach(FaultProxy::close);
        resources.shutdown(0, 0, TimeUnit.SECONDS);
        cluster.close();
    }

    private List<RedisURI> seeds() {
        List<RedisURI> seeds = cluster.uris();
        // A node that does not answer must not hold up what others know of the cluster.
        seeds.forEach(seed -> seed.setTimeout(Duration.ofMillis(500)));
        return seeds;
    }

    private FaultProxy proxyOf(RedisServer server) {
        return proxies.get(server.port());
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
        RedisClusterClient application = RedisClusterClient.create(resources, seeds());
        application.setOptions(ClusterClientOptions.builder()
                .timeoutOptions(TimeoutOptions.create())
                .topologyRefreshOptions(withoutAdaptiveRefresh())
                .build());
        try (LockClient client = Waits.client(RedisSource.of(application))
                .commandTimeout(Duration.ofSeconds(4))
                .build()) {
            client.getLock(name).acquire().close();
            // So that the new owner knows the script.
            client.getLock(nameOf(target)).acquire().close();
            long releasesBefore = releases(target);
            proxyOf(source).holdBack(Direction.TO_SERVER);
            CompletableFuture<?> acquisition = client.getLock(name)
                    .tryAcquireAsync(AcquireOptions.defaults().waitAtMost(Duration.ZERO))
                    .toCompletableFuture();
            cluster.migrate(name, target);
            application.refreshPartitions();
            assertThat(acquisition).as("still on its way to the old owner").isNotDone();
            assertThat(acquisition).failsWithin(LIMIT);
            Await.until("it is taken back at the new owner", LIMIT, () -> releases(target) > releasesBefore);
            Await.until(
                    "the take-back has ended",
                    LIMIT,
                    () -> ClientAccess.released(client).isDone());

            proxyOf(source).heal();

            // The old owner redirects the acquisition now. Granted, it would stay for 30 s.
            Pause.of(Duration.ofSeconds(2));
            assertThat(target.cli().exists(name)).as("locks that nobody holds").isZero();
        } finally {
            application.shutdown(0, 0, TimeUnit.SECONDS);
        }
    }

    private String nameOf(RedisServer master) {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "other-" + i)
                .filter(other -> cluster.masterOf(other) == master)
                .findFirst()
                .orElseThrow();
    }

    private static long releases(RedisServer server) {
        return server.commandStats().getOrDefault("evalsha", 0L)
                + server.commandStats().getOrDefault("eval", 0L);
    }
}
