package dev.holdfast.lock.redis.lease;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.RecordingListener;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;

/** A server of its own for tests of renewals, which count its commands. */
abstract class CountedRenewals {

    final RedisServer server = RedisServer.start();
    final RecordingListener listener = new RecordingListener();
    final String name = "renewal-" + UUID.randomUUID() + "-";

    @AfterEach
    void close() {
        server.close();
    }

    LockClient client(Duration lease) {
        return Waits.client(server).watchdogTimeout(lease).listener(listener).build();
    }

    long scripts() {
        return server.commandStats().getOrDefault("evalsha", 0L)
                + server.commandStats().getOrDefault("eval", 0L);
    }
}
