package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Redis cluster. Lettuce's cluster client knows which node has which slot, and nothing else: the connections to the nodes are those of a client for
 * single servers, with the same resources and options.
 *
 * <p>{@link Commands} follows redirections. Lettuce could follow them as well, but it would do so even for a command whose caller has stopped waiting
 * and has taken the acquisition back. The acquisition would then arrive after its own release.
 */
final class ClusterNodes implements RedisTopology {

    /** Matches a redirection, such as "MOVED 3999 127.0.0.1:6381". An IPv6 address contains colons, too. */
    private static final Pattern REDIRECTION = Pattern.compile("(?:MOVED|ASK) \\d+ (.+):(\\d+)");

    /** The pause between two refreshes, because each attempt to connect to a missing node causes one. */
    private static final long REFRESH_PAUSE_SECONDS = 1;

    private final RedisClusterClient cluster;
    private final RedisURI seed;
    private final boolean owned;
    private final RedisClient client;
    private final AtomicBoolean refreshing = new AtomicBoolean();
    /** What Lettuce knows and updates, or null until it has reached the cluster. */
    private volatile @Nullable Partitions known;

    /**
     * Creates a cluster that is not reached yet.
     *
     * @param seed the client's first seed. Lettuce uses its credentials, TLS and names at all nodes
     * @param owned whether the client is shut down with this object
     */
    ClusterNodes(RedisClusterClient cluster, RedisURI seed, boolean owned) {
        this.cluster = cluster;
        this.seed = seed;
        this.owned = owned;
        this.client = RedisClient.create(cluster.getResources());
        // ReconnectingConnection replaces a broken connection, so Lettuce must not reconnect it as well.
        client.setOptions(cluster.getOptions().mutate().autoReconnect(false).build());
    }

    @Override
    public StatefulRedisConnection<String, String> openCommands(@Nullable RedisURI node) {
        return open(node, address -> client.connect(StringCodec.UTF8, address));
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> openSignals(@Nullable RedisURI node) {
        return open(node, address -> client.connectPubSub(StringCodec.UTF8, address));
    }

    private <C> C open(@Nullable RedisURI node, Function<RedisURI, C> connect) {
        RedisException problem = new RedisException("no node of the cluster has slots");
        for (RedisURI address : node == null ? mastersInAnyOrder() : List.of(node)) {
            try {
                return connect.apply(RedisURI.builder(seed)
                        .withHost(address.getHost())
                        .withPort(address.getPort())
                        .withDatabase(0)
                        .build());
            } catch (RedisException e) {
                problem = e;
            }
            if (Thread.currentThread().isInterrupted()) {
                break;
            }
        }
        refresh();
        throw problem;
    }

    private List<RedisURI> mastersInAnyOrder() {
        known = cluster.getPartitions();
        List<RedisURI> masters = new ArrayList<>(masters());
        Collections.shuffle(masters);
        return masters;
    }

    @Override
    public @Nullable RedisURI ownerOf(String key) {
        Partitions nodes = known;
        if (nodes == null) {
            return null;
        }
        RedisClusterNode master = nodes.getMasterBySlot(SlotHash.getSlot(key));
        if (master == null) {
            refresh();
            return null;
        }
        return master.getUri();
    }

    @Override
    public @Nullable RedisURI redirectedTo(Throwable redirection) {
        // ASK redirects only this one command, while the slot moves.
        if (!RedisFailure.isAsk(redirection)) {
            refresh();
        }
        Matcher target =
                REDIRECTION.matcher(String.valueOf(redirection.getMessage()).strip());
        Partitions nodes = known;
        RedisClusterNode node = nodes != null && target.matches()
                ? nodes.getPartition(target.group(1), Integer.parseInt(target.group(2)))
                : null;
        return node == null ? null : node.getUri();
    }

    @Override
    public CompletionStage<?> refreshed() {
        return cluster.refreshPartitionsAsync();
    }

    @Override
    public List<RedisURI> masters() {
        Partitions nodes = known;
        return nodes == null
                ? List.of()
                : nodes.stream()
                        .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.hasNoSlots())
                        .map(RedisClusterNode::getUri)
                        .toList();
    }

    /** Refreshes the topology, unless this has just been done. An application's client may not refresh it by itself. */
    private void refresh() {
        if (refreshing.compareAndSet(false, true)) {
            var unused = refreshed().whenComplete((done, failure) -> pause());
        }
    }

    private void pause() {
        var unused = cluster.getResources()
                .eventExecutorGroup()
                .schedule(() -> refreshing.set(false), REFRESH_PAUSE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    @Override
    public void shutdown() {
        client.shutdown();
        if (owned) {
            cluster.shutdown();
        }
    }
}
