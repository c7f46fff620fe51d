package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.RedisContainer;
import dev.holdfast.lock.testing.RedisContainerCondition;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The server that an image brings, where a Docker engine answers; skipped elsewhere. */
@ExtendWith(RedisContainerCondition.class)
@Tag("every-kind")
class ContainerLockTest extends LockContract {

    @Override
    protected Topology open() {
        RedisServer server = RedisContainer.start();
        return Topology.of(() -> RedisSource.of(server.uri()), server, server::close);
    }
}
