package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.internal.background.Background;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.topology.ClusterTopologyRefresh;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EpollProvider;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates Lettuce clients with options that suit locks.
 *
 * <p>The defaults of Lettuce are harmful for locks: commands are queued during a disconnection and sent again after a reconnection, the pauses
 * between reconnections grow to 30 s, a command may take 60 s, and a connection attempt 10 s. With the options of this class, a command is sent at
 * once and only once, or not at all.
 */
public record LettuceClients(
        ConnectionSettings settings,
        @Nullable ClientResources resources,
        @Nullable ClientOptions base) {

    /**
     * The longest queue of commands in flight, because fifty thousand names may be requested at once. Lettuce reserves memory for queues of up to
     * 200,000 commands at each connection, and uses a linked queue for a larger limit.
     */
    private static final int MOST_COMMANDS_IN_FLIGHT = 262_144;

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(10);

    RedisClient client() {
        RedisClient client = resources == null ? RedisClient.create() : RedisClient.create(resources);
        client.setOptions(
                laidOver(base == null ? ClientOptions.builder() : base.mutate()).build());
        return client;
    }

    /** Creates a cluster client, which shuts down its resources unless they are the application's. */
    private RedisClusterClient clusterClient(List<RedisURI> seeds) {
        ClusterClientOptions.Builder options =
                base == null ? ClusterClientOptions.builder() : ClusterClientOptions.builder(base);
        // The constructor of the superclass already creates the refresh.
        RedisClusterClient client = new RedisClusterClient(resources, seeds) {
            @Override
            protected ClusterTopologyRefresh createTopologyRefresh() {
                return new PacedTopologyRefresh(super.createTopologyRefresh(), Background.SYSTEM::nanoTime);
            }
        };
        client.setOptions(laidOver(options)
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enablePeriodicRefresh(Duration.ofSeconds(2))
                        .build())
                .build());
        return client;
    }

    /** Returns the servers of a Lettuce client that the application owns. */
    public static RedisTopology of(RedisClient client) {
        return new MasterNodes(client, List.of(), false);
    }

    /** Returns the servers of a Lettuce cluster client that the application owns. */
    public static RedisTopology of(RedisClusterClient client, RedisURI seed) {
        return new ClusterNodes(client, seed, false);
    }

    /** Returns a master at one of these addresses, accessed by a Lettuce client that is created for it. */
    public RedisTopology master(List<RedisURI> addresses) {
        return new MasterNodes(client(), addresses(addresses), true);
    }

    /** Returns a cluster with these seeds, accessed by a Lettuce client that is created for it. */
    public RedisTopology cluster(List<RedisURI> seeds) {
        List<RedisURI> addresses = addresses(seeds);
        return new ClusterNodes(clusterClient(addresses), addresses.get(0), true);
    }

    private <B extends ClientOptions.Builder> B laidOver(B options) {
        // ReconnectingConnection replaces a broken connection, so Lettuce must not reconnect it as well.
        options.autoReconnect(false)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .requestQueueSize(MOST_COMMANDS_IN_FLIGHT)
                // CommandTimeouts ends the wait for an answer. A second timeout would hide the cause.
                .timeoutOptions(TimeoutOptions.create())
                .socketOptions(sockets());
        return options;
    }

    private SocketOptions sockets() {
        SocketOptions.Builder sockets =
                base == null ? SocketOptions.builder() : base.getSocketOptions().mutate();
        sockets.connectTimeout(settings.connectTimeout());
        if (EpollProvider.isAvailable()) {
            sockets.keepAlive(KeepAliveOptions.builder()
                            .enable()
                            .idle(KEEP_ALIVE)
                            .interval(KEEP_ALIVE.dividedBy(3))
                            .count(3)
                            .build())
                    .tcpUserTimeout(TcpUserTimeoutOptions.builder()
                            .enable()
                            .tcpUserTimeout(KEEP_ALIVE)
                            .build());
        } else {
            sockets.keepAlive(true);
        }
        return sockets.build();
    }

    /** Returns copies of the addresses that use the command timeout for the handshake. */
    List<RedisURI> addresses(List<RedisURI> given) {
        return given.stream().map(this::copy).toList();
    }

    private RedisURI copy(RedisURI given) {
        RedisURI.Builder builder = RedisURI.builder(given);
        if (!given.getSentinels().isEmpty()) {
            // The copy that Lettuce makes omits the sentinels.
            builder.withSentinelMasterId(given.getSentinelMasterId());
            given.getSentinels().forEach(sentinel -> builder.withSentinel(copy(sentinel)));
        }
        RedisURI copy = builder.build();
        copy.setTimeout(settings.commandTimeout());
        return copy;
    }
}
