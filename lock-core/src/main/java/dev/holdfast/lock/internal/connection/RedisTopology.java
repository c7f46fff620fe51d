package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The servers of a source, and how to connect to them. The opening methods block. */
public interface RedisTopology {

    /** Those of a Lettuce client that the application owns. */
    static RedisTopology of(RedisClient client) {
        return new MasterNodes(client, List.of(), false);
    }

    /** Those of a Lettuce cluster client that the application owns. */
    static RedisTopology of(RedisClusterClient client) {
        return new ClusterNodes(client, false);
    }

    /** A master at these addresses, over a Lettuce client that is created for it. */
    static RedisTopology master(List<RedisURI> addresses, LettuceClients options) {
        return new MasterNodes(options.client(), options.addresses(addresses), true);
    }

    /** A cluster with these seeds, over a Lettuce client that is created for it. */
    static RedisTopology cluster(List<RedisURI> seeds, LettuceClients options) {
        return new ClusterNodes(options.clusterClient(seeds), true);
    }

    StatefulConnection<String, String> openCommands() throws Exception;

    StatefulRedisPubSubConnection<String, String> openSignals() throws Exception;

    /** The commands of the node behind this open connection, where there is no other; null where a command has to be routed. */
    default @Nullable RedisClusterAsyncCommands<String, String> singleNodeCommands(
            StatefulConnection<String, String> connection) {
        return null;
    }

    /**
     * The commands of the node that writes this key, once the connection to that node is open.
     *
     * @param key null for commands without one, which any node answers
     * @param redirection what a node answered that was asked before and pointed to another one
     */
    CompletionStage<? extends RedisClusterAsyncCommands<String, String>> route(
            StatefulConnection<String, String> connection, @Nullable String key, @Nullable Throwable redirection);

    /** Sets what runs when one of several connections behind an open one ends, and when one for signals ends or is connected. */
    void watch(Runnable onDisconnected, Runnable onSignalsDisconnected, Runnable onSignalsConnected);

    boolean isCluster();

    /** Whether the Lettuce client, with the resources made for it, is ours to shut down. */
    boolean owned();

    void shutdown();
}
