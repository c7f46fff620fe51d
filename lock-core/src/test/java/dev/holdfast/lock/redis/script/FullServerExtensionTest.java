package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that refuses all writes that need memory still lengthens what is held, of every kind. */
class FullServerExtensionTest {

    private static final AcquireOptions SHORT = AcquireOptions.defaults().lease(Duration.ofSeconds(20));

    private static final Map<String, Function<LockClient, Lease>> KINDS = Map.of(
            "plain", client -> client.getLock("name", LockKind.REENTRANT).acquire(SHORT),
            "fair", client -> client.getLock("name", LockKind.FAIR).acquire(SHORT),
            "reader", client -> client.getLock("name", LockKind.READ).acquire(SHORT),
            "writer", client -> client.getLock("name", LockKind.WRITE).acquire(SHORT),
            "semaphore", client -> client.getSemaphore("name", 2).acquire(SHORT),
            "several names",
                    client -> client.getMultiLock(List.of("name", "other")).acquire(SHORT));

    @ParameterizedTest
    @ValueSource(strings = {"plain", "fair", "reader", "writer", "semaphore", "several names"})
    void leaseIsExtended(String kind) {
        try (RedisServer server = RedisServer.start();
                LockClient client = RedisLockClient.create(RedisSource.of(server.uri()))) {
            Lease lease = KINDS.get(kind).apply(client);
            server.cli().configSet("maxmemory", "1");

            lease.extend(Duration.ofMinutes(2));

            assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(1));
            assertThat(server.cli().pttl("name")).isGreaterThan(60_000);
            lease.close();
            assertThat(server.cli().exists("name")).isZero();
        }
    }
}
