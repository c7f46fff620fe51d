package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisServer;

/** A user with the rights of {@code docs/acl.conf} and no others. */
class AclLockTest extends LockContract {

    @Override
    Topology open() {
        RedisServer server = RedisServer.start(LeastRights.line());
        return Topology.of(
                () -> RedisSource.of(server.uri(LeastRights.USER, LeastRights.PASSWORD)), server, server::close);
    }
}
