package dev.holdfast.lock.testing;

import dev.holdfast.lock.proxy.Acceptor;
import dev.holdfast.lock.proxy.FreePorts;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;

/**
 * A service that spreads its keys over two servers behind one address, by their slots. Messages stay on the server on which they were published.
 * It speaks the second version of the protocol.
 *
 * <p>All methods may be called by any thread.
 */
public final class ShardingProxy implements AutoCloseable {

    /** What such a service knows. */
    public enum Service {
        /**
         * Says that it is one server. Refuses keys of several slots, keys of the other server that a script does not declare, and the commands of an
         * operator. Subscribes on the server that has the channel's slot.
         */
        SAYS_IT_IS_ONE_SERVER,
        /** The same, but a subscription reaches only one of its servers, although each is confirmed. */
        LOSES_MESSAGES,
        /**
         * Knows only commands with keys, and PING. Sends each command to the server of its first key and refuses nothing: a script finds the other keys
         * missing, or writes them on the wrong server.
         */
        ROUTES_BY_FIRST_KEY
    }

    private static final int SHARDS = 2;
    private static final List<String> NODE =
            List.of("cluster-enabled yes", "cluster-config-file nodes.conf", "cluster-require-full-coverage no");

    private final Service service;
    private final Duration idleLimit;
    private final List<RedisServer> shards;
    private final int port = FreePorts.next();
    private final Acceptor acceptor;

    private ShardingProxy(Service service, Duration idleLimit, List<RedisServer> shards) {
        this.service = service;
        this.idleLimit = idleLimit;
        this.shards = shards;
        this.acceptor =
                Acceptor.start("sharding-proxy-" + port, port, client -> new ShardedConnection(this, client).serve());
    }

    /** Starts a service whose connections may be idle for a minute. */
    public static ShardingProxy start(Service service) {
        return start(service, Duration.ofMinutes(1));
    }

    /** Starts a service that closes a connection on which the client has sent nothing for that time. */
    public static ShardingProxy start(Service service, Duration idleLimit) {
        boolean refuses = service != Service.ROUTES_BY_FIRST_KEY;
        List<String> lines = refuses ? NODE : List.of();
        List<RedisServer> shards = Parallel.start(SHARDS, () -> ServerStart.plain(lines));
        if (refuses) {
            giveSlots(shards);
        }
        return new ShardingProxy(service, idleLimit, shards);
    }

    /**
     * Each is a cluster of its own that lacks the slots of the others, so it refuses their keys. All get their slots at once: a node that was up
     * without any thinks for five seconds more that it cannot reach its cluster.
     */
    private static void giveSlots(List<RedisServer> shards) {
        List<ClusterNode> nodes = shards.stream().map(ClusterNode::new).toList();
        for (int i = 0; i < SHARDS; i++) {
            nodes.get(i).takeSlots(SlotHash.SLOT_COUNT * i / SHARDS, SlotHash.SLOT_COUNT * (i + 1) / SHARDS - 1);
        }
        nodes.forEach(node -> Await.until("the shard is up", Duration.ofSeconds(60), node::isOk));
    }

    /** A new URI of the service. */
    public RedisURI uri() {
        return RedisURI.create("127.0.0.1", port);
    }

    /** The server that has a key. */
    public RedisServer shardOf(String key) {
        return shards.get(shardIndexOf(key));
    }

    /** Its servers, in order of their slots. */
    public List<RedisServer> shards() {
        return shards;
    }

    int shardIndexOf(String key) {
        return SlotHash.getSlot(key) * SHARDS / SlotHash.SLOT_COUNT;
    }

    Service service() {
        return service;
    }

    Duration idleLimit() {
        return idleLimit;
    }

    /** Ends all connections, as the service does for its maintenance. New ones are accepted. */
    public void closeConnections() {
        acceptor.closeConnections();
    }

    @Override
    public void close() {
        acceptor.close();
        FreePorts.giveBack(port);
        Parallel.close(shards);
    }
}
