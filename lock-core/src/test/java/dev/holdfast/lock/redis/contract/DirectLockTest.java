package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Tag;

/** One server, reached by its address. Its name puts it among the first classes to run, since it takes longest. */
@Tag("reference")
@Tag("every-kind")
class DirectLockTest extends LockContract {

    @Override
    protected Topology open() {
        RedisServer server = RedisServer.shared();
        return Topology.of(() -> RedisSource.of(server.uri()), server, () -> {});
    }
}
