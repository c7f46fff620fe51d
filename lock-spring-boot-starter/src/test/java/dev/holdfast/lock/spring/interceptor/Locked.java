package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** A small application whose annotated beans are locked on the shared server, under names of its own. */
final class Locked implements AutoCloseable {

    /** The length of the leases of instances. The machine may stand still for two seconds. */
    static final Duration LEASE = Duration.ofSeconds(6);

    private final String prefix;
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final LockClient locks;

    Locked(Consumer<AnnotationConfigApplicationContext> customizer, Class<?>... beans) {
        this(RedisServer.shared(), customizer, beans);
    }

    Locked(RedisServer server, Consumer<AnnotationConfigApplicationContext> customizer, Class<?>... beans) {
        this(
                RedisSource.of(server.uri()),
                UUID.randomUUID().toString().substring(0, 8) + ":",
                Duration.ofSeconds(30),
                customizer,
                beans);
    }

    private Locked(
            RedisSource redis,
            String prefix,
            Duration lease,
            Consumer<AnnotationConfigApplicationContext> customizer,
            Class<?>... beans) {
        this.prefix = prefix;
        this.locks = RedisLockClient.builder(redis)
                .keyPrefix(prefix)
                .watchdogTimeout(lease)
                .defaultWait(Duration.ofMillis(500))
                .checkAtStart(false)
                .build();
        // The first connection of a process may take longer than a command may.
        locks.connected().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        context.registerBean("locks", LockClient.class, () -> locks);
        context.register(LockInterceptionConfiguration.class);
        context.register(beans);
        customizer.accept(context);
        try {
            context.refresh();
        } catch (RuntimeException e) {
            locks.close();
            throw e;
        }
    }

    static Locked application(Class<?>... beans) {
        return new Locked(context -> {}, beans);
    }

    /** One of several instances of an application: they share their locks. */
    static Locked instance(String prefix, Class<?>... beans) {
        return instance(RedisServer.shared().uri().toURI().toString(), prefix, beans);
    }

    static Locked instance(String uri, String prefix, Class<?>... beans) {
        return new Locked(RedisSource.of(uri), prefix, LEASE, context -> {}, beans);
    }

    static Consumer<AnnotationConfigApplicationContext> property(String name, String value) {
        return context -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(name, Map.of(name, value)));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    AnnotationConfigApplicationContext context() {
        return context;
    }

    /** The application's client. */
    LockClient locks() {
        return locks;
    }

    /** The name of a lock's key in Redis. */
    String key(String lockName) {
        return prefix + lockName;
    }

    boolean isHeld(String lockName) {
        return locks.inspect(lockName).isPresent();
    }

    @Override
    public void close() {
        context.close();
        locks.close();
    }
}
