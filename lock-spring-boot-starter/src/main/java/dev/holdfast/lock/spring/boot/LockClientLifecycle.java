package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.RedisLockClient;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the lock clients with the application's context, as often as that does: ours, and those that the application defines.
 *
 * <p>They start before, and stop after, everything that calls annotated methods: web servers, listeners, schedulers, executors. So when they stop
 * nothing new comes in. Callers that still hold a renewed lock keep it until they release it or the grace time ends.
 */
final class LockClientLifecycle implements SmartLifecycle {

    /** After the connection factory (0); before executors and schedulers (half of the range), web servers and listeners (near its end). */
    static final int PHASE = Integer.MAX_VALUE / 4;

    private final ListableBeanFactory beans;
    private final Consumer<LockClient> check;
    private final Duration shutdownGrace;
    private volatile List<RedisLockClient> started = List.of();

    /**
     * Creates the lifecycle.
     *
     * @param beans where the clients are
     * @param check called with each started client; may throw to refuse the start
     * @param shutdownGrace how long callers may keep their locks when the context stops
     */
    LockClientLifecycle(ListableBeanFactory beans, Consumer<LockClient> check, Duration shutdownGrace) {
        this.beans = beans;
        this.check = check;
        this.shutdownGrace = shutdownGrace;
    }

    @Override
    public void start() {
        // Not the parent context's, which starts and stops its own.
        List<RedisLockClient> found = beans.getBeansOfType(LockClient.class, false, true).values().stream()
                .map(LockClientLifecycle::target)
                .filter(RedisLockClient.class::isInstance)
                .map(RedisLockClient.class::cast)
                .toList();
        found.forEach(RedisLockClient::start);
        started = found;
        found.forEach(check);
    }

    private static Object target(LockClient client) {
        Object target = AopProxyUtils.getSingletonTarget(client);
        return target == null ? client : target;
    }

    /** Blocks until the clients are closed: Spring stops the connection factory after that. */
    @Override
    public void stop() {
        started.forEach(client -> client.close(shutdownGrace));
        started = List.of();
    }

    @Override
    public boolean isRunning() {
        return !started.isEmpty();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
