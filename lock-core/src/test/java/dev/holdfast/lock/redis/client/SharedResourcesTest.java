package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.RedisCluster;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Event loops, timer and executor that an application lends to a lock client are the application's still when that has closed. */
class SharedResourcesTest {

    private final RedisURI address = RedisServer.shared().uri();
    private final ClientResources resources = ClientResources.create();

    @Test
    void outliveAClientOfOneServer() {
        lockAndClose(RedisSource.of(address));
        assertResourcesWork();
    }

    @Test
    void outliveAClientOfACluster() {
        try (RedisCluster cluster = RedisCluster.start()) {
            lockAndClose(RedisSource.cluster(cluster.uris().toArray(RedisURI[]::new)));
            assertResourcesWork();
        }
    }

    private void lockAndClose(RedisSource source) {
        try (LockClient locks = RedisLockClient.builder(source.withResources(resources))
                .checkAtStart(false)
                .build()) {
            locks.getLock("shared-resources").acquire().close();
        }
    }

    private void assertResourcesWork() {
        assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
        RedisClient application = RedisClient.create(resources, address);
        try (var connection = application.connect()) {
            assertThat(connection.sync().ping()).isEqualTo("PONG");
        } finally {
            application.shutdown();
        }
    }

    @AfterEach
    void shutDown() {
        resources.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
