package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Redis cluster. Lettuce knows which node has which slot, and reconnects to the nodes.
 *
 * <p>A command is sent over the connection to its node, and {@link Commands} follows redirections. Lettuce could follow them as well, but it would do
 * so even for a command whose caller has stopped waiting and has taken the acquisition back. The acquisition would then arrive after its own release.
 */
final class ClusterNodes implements RedisTopology {

    /** Matches a redirection, such as "MOVED 3999 127.0.0.1:6381". An IPv6 address contains colons, too. */
    private static final Pattern REDIRECTION = Pattern.compile("(MOVED|ASK) \\d+ (.+):(\\d+)");

    private final RedisClusterClient client;
    private final boolean owned;
    private final Set<StatefulConnection<String, String>> watched = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final RedisConnectionStateListener connections = new RedisConnectionStateListener() {
        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
            if (connection instanceof StatefulRedisPubSubConnection<?, ?>) {
                onSignalsConnected.run();
            }
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            if (connection instanceof StatefulRedisPubSubConnection<?, ?>) {
                onSignalsDisconnected.run();
            }
        }
    };
    private volatile Runnable onDisconnected = () -> {};
    private volatile Runnable onSignalsDisconnected = () -> {};
    private volatile Runnable onSignalsConnected = () -> {};

    ClusterNodes(RedisClusterClient client, boolean owned) {
        this.client = client;
        this.owned = owned;
    }

    @Override
    public void watch(Runnable disconnected, Runnable signalsDisconnected, Runnable signalsConnected) {
        onDisconnected = disconnected;
        onSignalsDisconnected = signalsDisconnected;
        onSignalsConnected = signalsConnected;
        client.addListener(connections);
    }

    @Override
    public StatefulConnection<String, String> openCommands() {
        return client.connect(StringCodec.UTF8);
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> openSignals() {
        StatefulRedisClusterPubSubConnection<String, String> connection = client.connectPubSub(StringCodec.UTF8);
        // Messages of a sharded channel arrive over the connection to the shard's node.
        connection.setNodeMessagePropagation(true);
        return connection;
    }

    @Override
    public CompletionStage<? extends StatefulConnection<String, String>> route(
            StatefulConnection<String, String> connection, @Nullable String key, @Nullable Throwable redirection) {
        var cluster = (StatefulRedisClusterConnection<String, String>) connection;
        if (key == null) {
            return CompletableFuture.completedFuture(cluster);
        }
        try {
            return redirection == null ? ownerOf(cluster, key) : redirected(cluster, redirection);
        } catch (RuntimeException unknownNode) {
            return CompletableFuture.failedFuture(unknownNode);
        }
    }

    private CompletionStage<? extends StatefulConnection<String, String>> ownerOf(
            StatefulRedisClusterConnection<String, String> cluster, String key) {
        int slot = SlotHash.getSlot(key);
        RedisClusterNode master = cluster.getPartitions().getMasterBySlot(slot);
        if (master == null) {
            refresh();
            throw new RedisException("no known node has slot " + slot);
        }
        RedisURI address = master.getUri();
        return node(cluster, address.getHost(), address.getPort());
    }

    private CompletionStage<? extends StatefulConnection<String, String>> redirected(
            StatefulRedisClusterConnection<String, String> cluster, Throwable redirection) {
        Matcher target =
                REDIRECTION.matcher(String.valueOf(redirection.getMessage()).strip());
        if (!target.matches()) {
            throw new RedisException("redirected to an unknown place: " + redirection.getMessage());
        }
        // ASK redirects only this one command, while the slot moves.
        boolean isAsk = target.group(1).equals("ASK");
        if (!isAsk) {
            refresh();
        }
        return node(cluster, target.group(2), Integer.parseInt(target.group(3))).thenApply(node -> {
            if (isAsk) {
                // If another command is sent between ASKING and the redirected command, the node redirects again.
                node.async().asking();
            }
            return node;
        });
    }

    private CompletionStage<StatefulRedisConnection<String, String>> node(
            StatefulRedisClusterConnection<String, String> cluster, String host, int port) {
        return cluster.getConnectionAsync(host, port).thenApply(node -> {
            if (!watched.contains(node)) {
                watched.removeIf(other -> !other.isOpen());
                watched.add(node);
                node.addListener(new RedisConnectionStateListener() {
                    @Override
                    public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
                        watched.remove(node);
                        node.removeListener(this);
                        onDisconnected.run();
                    }
                });
            }
            return node;
        });
    }

    @Override
    public CompletionStage<?> refreshed() {
        return client.refreshPartitionsAsync();
    }

    @Override
    public Map<String, CompletionStage<? extends StatefulConnection<String, String>>> masters(
            StatefulConnection<String, String> connection) {
        var cluster = (StatefulRedisClusterConnection<String, String>) connection;
        Map<String, CompletionStage<? extends StatefulConnection<String, String>>> masters = new LinkedHashMap<>();
        for (RedisClusterNode master : cluster.getPartitions()) {
            if (master.is(RedisClusterNode.NodeFlag.UPSTREAM) && !master.hasNoSlots()) {
                RedisURI address = master.getUri();
                masters.put(
                        address.getHost() + ":" + address.getPort(),
                        node(cluster, address.getHost(), address.getPort()));
            }
        }
        return masters;
    }

    /** Refreshes the topology, one refresh at a time. An application's client may not refresh it by itself. */
    private void refresh() {
        if (refreshing.compareAndSet(false, true)) {
            client.refreshPartitionsAsync().whenComplete((done, failure) -> refreshing.set(false));
        }
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    @Override
    public void shutdown() {
        client.removeListener(connections);
        if (owned) {
            client.shutdown();
            client.getResources().shutdown(0, 0, TimeUnit.SECONDS);
        }
    }
}
