package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.RedisReplication;

/** A master and a replica by their addresses, the replica first. */
class ReplicatedLockTest extends LockContract {

    @Override
    protected Topology open() {
        RedisReplication group = RedisReplication.start(1);
        return Topology.of(
                () -> RedisSource.replicated(
                        group.replicas().get(0).uri(), group.master().uri()),
                group.master(),
                group::close);
    }
}
