package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisServer;

class StandaloneLockTest extends LockContract {

    @Override
    Topology open() {
        RedisServer server = RedisServer.shared();
        return Topology.of(() -> RedisSource.of(server.uri()), server, () -> {});
    }
}
