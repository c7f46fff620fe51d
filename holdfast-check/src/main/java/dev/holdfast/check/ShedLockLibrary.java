package dev.holdfast.check;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** ShedLock's provider for Spring Data Redis. It tries once, does not renew, and does not say whether a lock is still held. */
class ShedLockLibrary extends ReaderLibrary {

    private static final String PROVIDER = "net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider";

    private final Object connections;
    private final Object provider;
    private final Constructor<?> configuration;
    private final Method lock;
    private final Method unlock;

    ShedLockLibrary(Address address) throws ReflectiveOperationException {
        connections = springConnections(address);
        provider = provider(connections);
        Class<?> wanted = type("net.javacrumbs.shedlock.core.LockConfiguration");
        configuration = wanted.getConstructor(Instant.class, String.class, Duration.class, Duration.class);
        lock = provider.getClass().getMethod("lock", wanted);
        unlock = type("net.javacrumbs.shedlock.core.SimpleLock").getMethod("unlock");
    }

    Object provider(Object connections) throws ReflectiveOperationException {
        return constructor(PROVIDER).newInstance(connections);
    }

    final Constructor<?> constructor(String name) throws ReflectiveOperationException {
        return type(name).getConstructor(type("org.springframework.data.redis.connection.RedisConnectionFactory"));
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

    /** A release frees only the lock of its own holder. */
    static final class WithSafeUpdate extends ShedLockLibrary {

        WithSafeUpdate(Address address) throws ReflectiveOperationException {
            super(address);
        }

        @Override
        Object provider(Object connections) throws ReflectiveOperationException {
            Object builder = constructor(PROVIDER + "$Builder").newInstance(connections);
            builder.getClass().getMethod("safeUpdate", boolean.class).invoke(builder, true);
            return builder.getClass().getMethod("build").invoke(builder);
        }
    }
}
