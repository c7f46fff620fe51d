package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client for one purpose: one to its only server, or one to each master of a cluster. Each is opened when it is first needed.
 */
final class ServerLinks<C extends StatefulRedisConnection<String, String>> implements AutoCloseable {

    /** Leads to the only server, or to any node of a cluster. */
    final ReconnectingConnection<C> any;

    private final String purpose;
    private final ConnectionOpener connections;
    private final Function<@Nullable RedisURI, Callable<C>> opener;
    private final BiConsumer<@Nullable RedisURI, C> onConnected;
    private final Map<RedisURI, ReconnectingConnection<C>> masters = new ConcurrentHashMap<>();
    private final AtomicLong interruptions;
    private volatile boolean closed;

    /**
     * Creates connections that are not open yet.
     *
     * @param opener returns what opens a connection to a node, or to any node, and blocks until it is open
     * @param interruptions counts the ends of connections
     * @param onConnected receives each new connection, and the node to which it leads
     */
    ServerLinks(
            String purpose,
            ConnectionOpener connections,
            Function<@Nullable RedisURI, Callable<C>> opener,
            AtomicLong interruptions,
            BiConsumer<@Nullable RedisURI, C> onConnected) {
        this.purpose = purpose;
        this.connections = connections;
        this.opener = opener;
        this.interruptions = interruptions;
        this.onConnected = onConnected;
        this.any = connections.open(
                purpose, opener.apply(null), interruptions, connection -> onConnected.accept(null, connection));
    }

    /** Returns the connection to the server that has this key, or to any server without a key or if none is known to have it. */
    ReconnectingConnection<C> to(@Nullable String key) {
        return at(key == null ? null : connections.nodes().ownerOf(key));
    }

    /** Returns the connection to the server to which a server has redirected a command, or to any server if it is not known. */
    ReconnectingConnection<C> redirected(Throwable redirection) {
        return at(connections.nodes().redirectedTo(redirection));
    }

    ReconnectingConnection<C> at(@Nullable RedisURI node) {
        if (node == null) {
            return any;
        }
        ReconnectingConnection<C> link = masters.computeIfAbsent(node, this::link);
        if (closed) {
            link.close();
        }
        return link;
    }

    private ReconnectingConnection<C> link(RedisURI node) {
        return connections.open(
                purpose + " at " + RedisTopology.name(node),
                () -> open(node),
                interruptions,
                connection -> onConnected.accept(node, connection));
    }

    /** Opens a connection to a node. If it cannot be reached, and has no slots any more, there will not be another attempt. */
    private C open(RedisURI node) throws Exception {
        try {
            return opener.apply(node).call();
        } catch (Exception e) {
            if (!connections.nodes().masters().contains(node)) {
                ReconnectingConnection<C> unused = masters.remove(node);
                if (unused != null) {
                    unused.close();
                }
            }
            throw e;
        }
    }

    /** Replaces the connection to a node if there is one, because its address may lead to another server now. */
    void replace(@Nullable RedisURI node) {
        ReconnectingConnection<C> link = node == null ? any : masters.get(node);
        if (link != null) {
            link.replace();
        }
    }

    /** Replaces the connection to the same server, because this one is of no use. */
    void suspect(C connection) {
        all().forEach(link -> link.suspect(connection));
    }

    /** Returns whether the connection is in use. One that broke or was replaced is not. */
    boolean isCurrent(@Nullable Object connection) {
        // Runs for each request of a client that listens, which usually has only this connection.
        return connection != null
                && (any.currentOrNull() == connection
                        || masters.values().stream().anyMatch(link -> link.currentOrNull() == connection));
    }

    private Stream<ReconnectingConnection<C>> all() {
        return Stream.concat(Stream.of(any), masters.values().stream());
    }

    @Override
    public void close() {
        closed = true;
        all().forEach(ReconnectingConnection::close);
    }
}
