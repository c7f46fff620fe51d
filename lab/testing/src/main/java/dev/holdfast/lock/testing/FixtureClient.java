package dev.holdfast.lock.testing;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.time.Duration;

/**
 * The Lettuce client that the fixtures look at their servers with: one for the JVM, with few threads, never seen by the
 * code under test. It does not reconnect, so that a check never runs later than the test asked for it.
 */
final class FixtureClient {

    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final ClientResources RESOURCES = DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .build();

    private static final RedisClient CLIENT = create();

    private FixtureClient() {}

    private static RedisClient create() {
        RedisClient client = RedisClient.create(RESOURCES);
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        return client;
    }

    static StatefulRedisConnection<String, String> connect(RedisURI uri) {
        StatefulRedisConnection<String, String> connection = CLIENT.connect(uri);
        connection.setTimeout(TIMEOUT);
        return connection;
    }

    static StatefulRedisSentinelConnection<String, String> connectSentinel(RedisURI uri) {
        StatefulRedisSentinelConnection<String, String> connection = CLIENT.connectSentinel(uri);
        connection.setTimeout(TIMEOUT);
        return connection;
    }
}
