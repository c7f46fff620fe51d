package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.LeastRights;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.RedisServer;

/** A user with the rights of {@code docs/acl.conf} and no others. */
class AclLockTest extends LockContract {

    @Override
    protected Topology open() {
        RedisServer server = RedisServer.start(LeastRights.line());
        return Topology.of(
                () -> RedisSource.of(server.uri(LeastRights.USER, LeastRights.PASSWORD)), server, server::close);
    }
}
