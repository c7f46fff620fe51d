package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Tag;

/** One server, found by its address. */
@Tag("reference")
class StandaloneLockTest extends LockContract {

    @Override
    Topology open() {
        RedisServer server = RedisServer.shared();
        return Topology.of(() -> RedisSource.of(server.uri()), server, () -> {});
    }
}
