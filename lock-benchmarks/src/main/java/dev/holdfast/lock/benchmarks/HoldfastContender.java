package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.locks.Lock;

/** Holdfast with its defaults. */
final class HoldfastContender implements Contender {

    private final LockClient client;

    HoldfastContender(RedisServer server) {
        this.client = RedisLockClient.create(RedisSource.of(server.uri()));
    }

    @Override
    public String label() {
        return "holdfast";
    }

    @Override
    public Lock lock(String name) {
        return client.getLock(name);
    }

    @Override
    public void close() {
        client.close();
    }
}
