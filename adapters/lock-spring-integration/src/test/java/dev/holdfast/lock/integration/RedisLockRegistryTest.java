package dev.holdfast.lock.integration;

import dev.holdfast.lock.testing.RedisServer;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** Keeps the contract honest: Spring Integration's own registry passes it. */
class RedisLockRegistryTest implements LockRegistryContract {

    private static LettuceConnectionFactory redis;

    private final String registryKey = "registry-" + UUID.randomUUID();
    private final RedisLockRegistry here = new RedisLockRegistry(redis, registryKey);
    private final RedisLockRegistry there = new RedisLockRegistry(redis, registryKey);

    @BeforeAll
    static void connect() {
        redis = new LettuceConnectionFactory("127.0.0.1", RedisServer.shared().port());
        redis.afterPropertiesSet();
        redis.start();
    }

    @AfterAll
    static void disconnect() {
        redis.destroy();
    }

    @AfterEach
    void close() {
        here.destroy();
        there.destroy();
    }

    @Override
    public RedisLockRegistry here() {
        return here;
    }

    @Override
    public RedisLockRegistry there() {
        return there;
    }

    @Override
    public void expire(String key) {
        RedisServer.shared().cli().del(registryKey + ":" + key);
    }

    @Override
    public long timeToLive(String key) {
        return RedisServer.shared().cli().pttl(registryKey + ":" + key);
    }
}
