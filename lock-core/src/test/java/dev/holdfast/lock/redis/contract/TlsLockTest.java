package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.TlsRedis;

class TlsLockTest extends LockContract {

    @Override
    protected Topology open() {
        TlsRedis redis = TlsRedis.start();
        return Topology.of(
                () -> RedisSource.of(redis.uri()).withOptions(redis.clientOptions()), redis.server(), redis::close);
    }
}
