package dev.holdfast.check;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Redisson's fenced lock. Its watchdog has the same lease; other settings have their defaults. Each check whether the lock is held asks Redis, and no
 * answer counts as "not held".
 */
final class RedissonLibrary extends ReaderLibrary {

    private final Object redisson;
    private final Method fencedLock;
    private final Method tryLock;
    private final Method isHeld;
    private final Method unlock;
    private final Method forceUnlock;
    private final Method shutdown;

    RedissonLibrary(Address address) throws ReflectiveOperationException {
        Class<?> config = type("org.redisson.config.Config");
        redisson = type("org.redisson.Redisson")
                .getMethod("create", config)
                .invoke(null, config.getMethod("fromYAML", String.class).invoke(null, yaml(address)));
        Class<?> client = type("org.redisson.api.RedissonClient");
        Class<?> lock = type("org.redisson.api.RFencedLock");
        fencedLock = client.getMethod("getFencedLock", String.class);
        shutdown = client.getMethod("shutdown");
        tryLock = lock.getMethod("tryLockAndGetToken", long.class, long.class, TimeUnit.class);
        isHeld = lock.getMethod("isHeldByCurrentThread");
        unlock = lock.getMethod("unlock");
        forceUnlock = lock.getMethod("forceUnlock");
    }

    private static String yaml(Address address) {
        WorkerSettings settings = WorkerSettings.PRESENT;
        List<String> urls = address.ports().stream()
                .map(port -> "\"redis://127.0.0.1:" + port + '"')
                .toList();
        String servers = switch (address.shape()) {
            case SERVER, QUORUM ->
                "singleServerConfig: {address: " + urls.get(0) + ", database: " + settings.database()
                        + line("username", settings.user()) + line("password", settings.password()) + "}";
            case SENTINELS ->
                "sentinelServersConfig: {masterName: " + Address.MASTER + ", sentinelAddresses: " + urls + "}";
            case CLUSTER -> "clusterServersConfig: {nodeAddresses: " + urls + "}";
        };
        return "lockWatchdogTimeout: " + Terms.LEASE.toMillis() + "\n" + servers + "\n";
    }

    private static String line(String name, @Nullable String value) {
        return value == null
                ? ""
                : ", " + name + ": \"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    @Override
    @Nullable
    Taken take(String name, Duration patience) throws ReflectiveOperationException {
        Object lock = fencedLock.invoke(redisson, name);
        Object token = tryLock.invoke(lock, patience.toMillis(), -1L, TimeUnit.MILLISECONDS);
        return token == null ? null : new Taken(lock, (Long) token);
    }

    @Override
    boolean isHeld(Object lock) throws ReflectiveOperationException {
        return (Boolean) isHeld.invoke(lock);
    }

    @Override
    void release(Object lock) throws ReflectiveOperationException {
        unlock.invoke(lock);
    }

    @Override
    public void forceRelease(String lock) {
        try {
            forceUnlock.invoke(fencedLock.invoke(redisson, fullName(lock)));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            shutdown.invoke(redisson);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
