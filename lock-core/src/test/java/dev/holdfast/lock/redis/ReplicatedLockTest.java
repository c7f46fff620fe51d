package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisReplication;

/** A master and a replica by their addresses, the replica first. */
class ReplicatedLockTest extends LockContract {

    @Override
    Topology open() {
        RedisReplication group = RedisReplication.start(1);
        return Topology.of(
                () -> RedisSource.replicated(
                        group.replicas().get(0).uri(), group.master().uri()),
                group.master(),
                group::close);
    }
}
