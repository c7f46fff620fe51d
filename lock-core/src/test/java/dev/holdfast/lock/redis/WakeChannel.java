package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A client that listens for grants and does nothing with them: to Redis it is one whose process is paused. */
final class WakeChannel implements AutoCloseable {

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final RedisClient client;

    private WakeChannel(RedisServer server, String channel) {
        client = RedisClient.create(server.uri());
        StatefulRedisPubSubConnection<String, String> connection = client.connectPubSub();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, String message) {
                heard.add(message);
            }
        });
        connection.sync().subscribe(channel);
    }

    /** Listens as the client of that id would. */
    static WakeChannel of(RedisServer server, String client) {
        return new WakeChannel(server, name(client));
    }

    /** Listens for what Redisson's clients hear of a plain lock. */
    static WakeChannel ofRedisson(RedisServer server, String lock) {
        return new WakeChannel(server, "redisson_lock__channel:{" + lock + "}");
    }

    /** The same of a read/write lock. */
    static WakeChannel ofRedissonReadWrite(RedisServer server, String lock) {
        return new WakeChannel(server, "redisson_rwlock:{" + lock + "}");
    }

    static String name(String client) {
        return "holdfast:wake:" + client;
    }

    /** The messages, in order. */
    List<String> heard() {
        return List.copyOf(heard);
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ZERO);
    }
}
