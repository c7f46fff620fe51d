package dev.holdfast.lock.connection;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;

/** The servers behind a source, and how to connect to them. The opening methods block. */
interface Nodes {

    StatefulConnection<String, String> openCommands() throws Exception;

    StatefulRedisPubSubConnection<String, String> openSignals() throws Exception;

    RedisClusterAsyncCommands<String, String> async(StatefulConnection<String, String> connection);

    /** The commands of the one node that writes this key, on the connection that a script about this key goes over. */
    CompletionStage<? extends RedisClusterAsyncCommands<String, String>> writerOf(
            StatefulConnection<String, String> connection, String key);

    boolean isCluster();

    /** Whether the Lettuce client is ours to shut down. */
    boolean owned();

    void shutdown();
}
