package dev.holdfast.lock.benchmarks;

import dev.holdfast.lock.LockKind;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Spring Integration's registry in its faster mode, which waits for a message. */
final class SpringContender implements Contender {

    private static final int AS_MANY_AS_HELD = 100_000;

    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;

    SpringContender(int port) {
        this.connections = connect(port);
        this.registry = new RedisLockRegistry(connections, "registry", Duration.ofMinutes(10));
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        registry.setCacheCapacity(AS_MANY_AS_HELD);
    }

    static LettuceConnectionFactory connect(int port) {
        LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", port);
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    @Override
    public Lock lock(String name, LockKind kind) {
        return registry.obtain((Object) name);
    }

    @Override
    public void close() {
        registry.destroy();
        connections.destroy();
    }
}
