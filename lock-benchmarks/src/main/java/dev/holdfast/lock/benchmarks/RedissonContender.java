package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson with its defaults. */
final class RedissonContender implements Contender {

    private final RedissonClient client;

    RedissonContender(RedisServer server) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + server.port());
        this.client = Redisson.create(config);
    }

    @Override
    public String label() {
        return "redisson";
    }

    @Override
    public Lock lock(String name) {
        return client.getLock(name);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
