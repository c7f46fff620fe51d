package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a source, and the way to connect to them: a single server, unless it is a cluster. A node of a cluster has an address, and null
 * stands for any node and for the single server.
 */
public interface RedisTopology {

    /** Opens a connection, and blocks until it is open. */
    StatefulRedisConnection<String, String> openCommands(@Nullable RedisURI node) throws Exception;

    /** Opens a connection for messages, and blocks until it is open. */
    StatefulRedisPubSubConnection<String, String> openSignals(@Nullable RedisURI node) throws Exception;

    /** Returns the master that has the key, or null if none is known. Any node refuses a command then, or knows more and redirects it. */
    default @Nullable RedisURI ownerOf(String key) {
        return null;
    }

    /** Returns the node to which a node has redirected a command, or null if it is not known. */
    default @Nullable RedisURI redirectedTo(Throwable redirection) {
        return null;
    }

    /** Asks the nodes of a cluster who has which slots. */
    default CompletionStage<?> refreshed() {
        return CompletableFuture.completedFuture(null);
    }

    /** Returns the masters of a cluster that are known to have slots. */
    default List<RedisURI> masters() {
        return List.of();
    }

    default boolean isCluster() {
        return false;
    }

    /** Shuts down the Lettuce clients and the resources that were created for this object. */
    default void shutdown() {}

    /** Returns how messages name a node. */
    static String name(RedisURI node) {
        return node.getHost() + ":" + node.getPort();
    }
}
