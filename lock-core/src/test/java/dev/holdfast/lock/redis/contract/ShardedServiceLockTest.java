package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.testing.ShardingProxy;

/** A service that spreads its keys over several servers, and whose clients know it. */
class ShardedServiceLockTest extends LockContract {

    @Override
    protected Topology open() {
        ShardingProxy service = ShardingProxy.start(ShardingProxy.Service.SAYS_IT_IS_ONE_SERVER);
        return new Topology(
                () -> RedisSource.of(service.uri()).withSeparateSlots(),
                key -> service.shardOf(key).cli(),
                service::close);
    }
}
