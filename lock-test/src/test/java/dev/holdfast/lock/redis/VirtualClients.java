package dev.holdfast.lock.redis;

import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.testing.VirtualClock;

/** Clients on a virtual clock. Their callbacks run on the thread that causes them. */
final class VirtualClients {

    private VirtualClients() {}

    static RedisLockClientBuilder builder(VirtualClock clock, RedisGateway.Opener redis) {
        return RedisLockClient.builder(RedisSource.simulated(redis))
                .checkAtStart(false)
                .clock(clock::now)
                .scheduler(clock.scheduler())
                .callbackExecutor(Runnable::run);
    }
}
