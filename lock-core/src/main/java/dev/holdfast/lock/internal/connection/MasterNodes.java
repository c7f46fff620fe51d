package dev.holdfast.lock.internal.connection;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A topology with one master: a single server, the master that sentinels name, or the server with the role of master among several addresses. If no
 * addresses are given, the client's default address is used.
 *
 * <p>Every new connection is checked to lead to a master. A name may lead to a replica for a while, before that replica is promoted. A replica that
 * lacks the latest writes would answer that a lease is gone which its master still has.
 */
record MasterNodes(RedisClient client, List<RedisURI> addresses, boolean owned) implements RedisTopology {

    @Override
    public StatefulRedisConnection<String, String> openCommands(@Nullable RedisURI node) {
        return addresses.isEmpty()
                ? ofMaster(client.connect(StringCodec.UTF8))
                : first(address -> client.connect(StringCodec.UTF8, address));
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> openSignals(@Nullable RedisURI node) {
        return addresses.isEmpty()
                ? ofMaster(client.connectPubSub(StringCodec.UTF8))
                : first(address -> client.connectPubSub(StringCodec.UTF8, address));
    }

    private <C extends StatefulRedisConnection<String, String>> C first(Function<RedisURI, C> opener) {
        List<RedisException> problems = new ArrayList<>();
        for (RedisURI address : addresses) {
            try {
                return ofMaster(opener.apply(address));
            } catch (RedisException e) {
                if (addresses.size() == 1) {
                    throw e;
                }
                problems.add(e);
            }
        }
        String reasons = problems.stream().map(Throwable::getMessage).distinct().collect(Collectors.joining("; "));
        RedisException none =
                new RedisConnectionException("None of the " + addresses.size() + " nodes is a master: " + reasons);
        problems.forEach(none::addSuppressed);
        throw none;
    }

    /** Returns the connection if it leads to a master, and otherwise closes it and throws. */
    private <C extends StatefulRedisConnection<String, String>> C ofMaster(C connection) {
        try {
            if (!"master".equals(connection.sync().role().get(0))) {
                throw new RedisConnectionException("The server is a replica, and locks need a master");
            }
        } catch (RedisCommandExecutionException refused) {
            // Among several addresses, only a role can tell the master. A single server that is a replica also refuses
            // to write.
            if (addresses.size() > 1) {
                connection.close();
                throw refused;
            }
        } catch (RedisException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    @Override
    public void shutdown() {
        if (owned) {
            client.shutdown();
        }
    }
}
