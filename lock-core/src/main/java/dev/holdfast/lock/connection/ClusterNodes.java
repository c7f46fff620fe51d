package dev.holdfast.lock.connection;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A cluster: Lettuce knows which node has which slot and mends the connections to its nodes.
 *
 * @param client makes the connections
 * @param owned whether the client, with the resources made for it, is ours to shut down
 */
record ClusterNodes(RedisClusterClient client, boolean owned) implements Nodes {

    @Override
    public StatefulConnection<String, String> openCommands() {
        return client.connect(StringCodec.UTF8);
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> openSignals() {
        StatefulRedisClusterPubSubConnection<String, String> connection = client.connectPubSub(StringCodec.UTF8);
        // Messages of a shard come over the connection to its node.
        connection.setNodeMessagePropagation(true);
        return connection;
    }

    @Override
    public RedisClusterAsyncCommands<String, String> async(StatefulConnection<String, String> connection) {
        return ((StatefulRedisClusterConnection<String, String>) connection).async();
    }

    @Override
    public CompletionStage<? extends RedisClusterAsyncCommands<String, String>> writerOf(
            StatefulConnection<String, String> connection, String key) {
        RedisURI master =
                client.getPartitions().getMasterBySlot(SlotHash.getSlot(key)).getUri();
        return ((StatefulRedisClusterConnection<String, String>) connection)
                .getConnectionAsync(master.getHost(), master.getPort())
                .thenApply(StatefulRedisConnection::async);
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    @Override
    public void shutdown() {
        if (owned) {
            client.shutdown();
            client.getResources().shutdown(0, 0, TimeUnit.SECONDS);
        }
    }
}
