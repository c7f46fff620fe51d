package dev.holdfast.lock.internal.connection;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The servers of a source, and the way to connect to them. The methods that open a connection block. */
public interface RedisTopology {

    StatefulConnection<String, String> openCommands() throws Exception;

    StatefulRedisPubSubConnection<String, String> openSignals() throws Exception;

    /**
     * Returns the connection to the node that writes this key. The stage completes once that connection is open.
     *
     * @param key the key, or null for a command without a key, which any node answers
     * @param redirection the answer of the previous node if it redirected the command, or null
     */
    CompletionStage<? extends StatefulConnection<String, String>> route(
            StatefulConnection<String, String> connection, @Nullable String key, @Nullable Throwable redirection);

    /** Asks the nodes of a cluster who has which slots. */
    default CompletionStage<?> refreshed() {
        return CompletableFuture.completedFuture(null);
    }

    /** Returns the connections to the masters that are known, by the names of their nodes. */
    default Map<String, CompletionStage<? extends StatefulConnection<String, String>>> masters(
            StatefulConnection<String, String> connection) {
        return Map.of("the server", CompletableFuture.completedFuture(connection));
    }

    /**
     * Sets the actions to run when the connection to one of several nodes ends, when a signal connection ends, and when a signal connection is
     * opened.
     */
    void watch(Runnable onDisconnected, Runnable onSignalsDisconnected, Runnable onSignalsConnected);

    /** Returns whether each command must be routed to one of several nodes. */
    boolean isCluster();

    /** Shuts down the Lettuce client and the resources that were created for this object. */
    void shutdown();
}
