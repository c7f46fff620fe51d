package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.RedisSentinels;

class SentinelLockTest extends LockContract {

    @Override
    Topology open() {
        RedisSentinels group = RedisSentinels.start();
        return Topology.of(() -> RedisSource.of(group.uri()), group.master(), group::close);
    }
}
