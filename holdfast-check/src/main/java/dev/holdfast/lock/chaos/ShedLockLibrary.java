package dev.holdfast.lock.chaos;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** ShedLock's provider for Spring Data Redis. It tries once, does not renew, and does not say whether a lock is still held. */
final class ShedLockLibrary extends ReaderLibrary {

    private final Object connections;
    private final Object provider;
    private final Constructor<?> configuration;
    private final Method lock;
    private final Method unlock;

    ShedLockLibrary(Address address) throws ReflectiveOperationException {
        connections = springConnections(address);
        Class<?> locks = type("net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider");
        provider = locks.getConstructor(type("org.springframework.data.redis.connection.RedisConnectionFactory"))
                .newInstance(connections);
        Class<?> wanted = type("net.javacrumbs.shedlock.core.LockConfiguration");
        configuration = wanted.getConstructor(Instant.class, String.class, Duration.class, Duration.class);
        lock = locks.getMethod("lock", wanted);
        unlock = type("net.javacrumbs.shedlock.core.SimpleLock").getMethod("unlock");
    }

    @Override
    public boolean renews() {
        return false;
    }

    @Override
    @Nullable
    Taken take(String name, Duration patience) throws ReflectiveOperationException {
        Object wanted = configuration.newInstance(Instant.now(), name, Terms.LEASE, Duration.ZERO);
        return ((Optional<?>) lock.invoke(provider, wanted))
                .map(Taken::withoutToken)
                .orElse(null);
    }

    @Override
    void release(Object held) throws ReflectiveOperationException {
        unlock.invoke(held);
    }

    @Override
    public void close() {
        destroy(connections);
    }
}
