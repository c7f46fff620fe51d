package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;

/** An application's own client, with Lettuce's default options. */
class ApplicationClientLockTest extends LockContract {

    @Override
    protected Topology open() {
        RedisServer server = RedisServer.shared();
        RedisClient client = RedisClient.create(server.uri());
        return Topology.of(() -> RedisSource.of(client), server, client::shutdown);
    }
}
