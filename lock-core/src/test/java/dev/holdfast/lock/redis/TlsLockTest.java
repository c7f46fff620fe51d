package dev.holdfast.lock.redis;

import dev.holdfast.lock.testing.TlsRedis;

class TlsLockTest extends LockContract {

    @Override
    Topology open() {
        TlsRedis redis = TlsRedis.start();
        return Topology.of(
                () -> RedisSource.of(redis.uri()).withOptions(redis.clientOptions()), redis.server(), redis::close);
    }
}
