package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.RedisSentinels;

class SentinelLockTest extends LockContract {

    @Override
    protected Topology open() {
        RedisSentinels group = RedisSentinels.startWithoutFailover();
        return Topology.of(() -> RedisSource.of(group.uri()), group.master(), group::close);
    }
}
