package dev.holdfast.check;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** Spring Integration's registry with its defaults except for the lease. It does not renew, and says only at the release that a lock was lost. */
class SpringIntegrationLibrary extends ReaderLibrary {

    private final Object connections;
    final Object registry;
    private final Method obtain;

    SpringIntegrationLibrary(Address address) throws ReflectiveOperationException {
        connections = springConnections(address);
        Class<?> locks = type("org.springframework.integration.redis.util.RedisLockRegistry");
        registry = locks.getConstructor(
                        type("org.springframework.data.redis.connection.RedisConnectionFactory"),
                        String.class,
                        long.class)
                .newInstance(connections, "registry", Terms.LEASE.toMillis());
        obtain = locks.getMethod("obtain", Object.class);
    }

    @Override
    public boolean renews() {
        return false;
    }

    @Override
    @Nullable
    Taken take(String name, Duration patience) throws ReflectiveOperationException, InterruptedException {
        Lock lock = (Lock) obtain.invoke(registry, name);
        return lock.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS) ? Taken.withoutToken(lock) : null;
    }

    @Override
    void release(Object lock) {
        ((Lock) lock).unlock();
    }

    @Override
    public void close() {
        destroy(registry);
        destroy(connections);
    }

    /** A scheduler of Spring renews locks while they are held. */
    static final class WithRenewal extends SpringIntegrationLibrary {

        private final AutoCloseable scheduler;

        WithRenewal(Address address) throws ReflectiveOperationException {
            super(address);
            scheduler = (AutoCloseable) type("org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler")
                    .getConstructor()
                    .newInstance();
            registry.getClass()
                    .getMethod("setRenewalTaskScheduler", type("org.springframework.scheduling.TaskScheduler"))
                    .invoke(registry, scheduler);
        }

        @Override
        public boolean renews() {
            return true;
        }

        @Override
        public void close() {
            super.close();
            try {
                scheduler.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
