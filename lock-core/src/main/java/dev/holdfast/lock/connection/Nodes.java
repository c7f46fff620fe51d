package dev.holdfast.lock.connection;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The servers behind a source, and how to connect to them. The opening methods block. */
interface Nodes {

    StatefulConnection<String, String> openCommands() throws Exception;

    StatefulRedisPubSubConnection<String, String> openSignals() throws Exception;

    /**
     * The commands of the node that writes this key, once the connection to that node is open.
     *
     * @param key null for commands without one, which any node answers
     * @param redirection what a node answered that was asked before and pointed to another one
     */
    CompletionStage<? extends RedisClusterAsyncCommands<String, String>> route(
            StatefulConnection<String, String> connection, @Nullable String key, @Nullable Throwable redirection);

    /** Sets what runs when one of several connections behind an open one ends, and when one of them is back. */
    void watch(Runnable onDisconnected, Runnable onSignalsReconnected);

    boolean isCluster();

    /** Whether the Lettuce client is ours to shut down. */
    boolean owned();

    void shutdown();
}
