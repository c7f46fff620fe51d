package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.SelfCheck;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.spring.LockStartupException;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops lock clients with the context, both the starter's and the application's. They start before, and stop after, all beans that call
 * annotated methods, so no new calls arrive when they stop. Callers that hold a renewed lock keep it until they release it or the grace time ends.
 */
final class LockClientLifecycle implements SmartLifecycle {

    /**
     * The phase of the clients. It is after the connection factory (0), and before executors and schedulers (half of the range) and web servers and
     * listeners (near its end).
     */
    static final int PHASE = Integer.MAX_VALUE / 4;

    private static final Log log = LogFactory.getLog(LockClientLifecycle.class);

    private static final Duration START_LIMIT = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private static final String OR_ELSE =
            " Or set holdfast.fail-fast to false: the application then starts, and locks work as soon as Redis"
                    + " accepts them.";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockProperties> properties;
    private volatile boolean running;

    LockClientLifecycle(ConfigurableListableBeanFactory beans, ObjectProvider<LockProperties> properties) {
        this.beans = beans;
        this.properties = properties;
    }

    /** Without {@code fail-fast}, nothing waits, and a client itself looks at Redis when it first reaches it. */
    @Override
    public void start() {
        running = true;
        boolean waits = properties.getObject().failFast();
        for (RedisLockClient client : clients(name -> waits || isNeeded(name))) {
            client.start();
        }
        for (RedisLockClient client : clients(beans::containsSingleton)) {
            client.startWhenUsed();
        }
        if (waits) {
            clients(name -> true).forEach(LockClientLifecycle::check);
        }
    }

    /** Returns the clients of the chosen beans, and creates them. Excludes those of the parent context, which starts and stops its own. */
    private List<RedisLockClient> clients(Predicate<String> chosen) {
        List<RedisLockClient> clients = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(LockClient.class, false, true)) {
            if (chosen.test(name)) {
                Object bean = beans.getBean(name);
                Object target = AopProxyUtils.getSingletonTarget(bean);
                if ((target == null ? bean : target) instanceof RedisLockClient client) {
                    clients.add(client);
                }
            }
        }
        return clients;
    }

    /** Returns whether the application has a use for the client, as far as it can be seen without one. A bean that looks it up is not seen. */
    private boolean isNeeded(String name) {
        return !name.equals(StarterBeans.CLIENT)
                || beans.getBeanProvider(DeclaredLocks.class).stream()
                        .anyMatch(declared -> !declared.names().isEmpty())
                || Arrays.stream(beans.getDependentBeans(name)).anyMatch(bean -> !StarterBeans.isOurs(bean, beans));
    }

    /** Blocks until the clients are closed, because Spring stops the connection factory afterwards. */
    @Override
    public void stop() {
        clients(beans::containsSingleton)
                .forEach(client -> client.close(properties.getObject().shutdownGrace()));
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /**
     * Lets the clients start before their phase, because beans that Spring creates may already need a lock. The starter's own client starts with the
     * first use. One that the application defines starts at once, so that it connects while Spring creates other beans.
     */
    static final class EarlyStart implements BeanPostProcessor {
        /** Starts the client here, before it may be wrapped in a proxy. */
        @Override
        public Object postProcessBeforeInitialization(Object bean, String beanName) {
            if (bean instanceof RedisLockClient client) {
                try {
                    if (beanName.equals(StarterBeans.CLIENT)) {
                        client.startWhenUsed();
                    } else {
                        client.start();
                    }
                } catch (RuntimeException e) {
                    // A connection factory may not have its Lettuce client before its own phase.
                    log.debug("The lock client '" + beanName + "' starts in its phase: " + e.getMessage());
                }
            }
            return bean;
        }
    }

    /**
     * With {@code fail-fast}, waits a bounded time for the first connection, which takes seconds on a throttled machine. A refusal by Redis ends the
     * wait at once.
     */
    private static void check(LockClient client) {
        try {
            LockStartupException problem = problem(client, System.nanoTime() + START_LIMIT.toNanos());
            if (problem != null) {
                throw problem;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockStartupException(
                    "The start was interrupted while it waited for Redis.", "Start the application again.", e);
        }
    }

    private static @Nullable LockStartupException problem(LockClient client, long end) throws InterruptedException {
        Throwable last = null;
        while (true) {
            long left = end - System.nanoTime();
            try {
                SelfCheck found = client.selfCheck().toCompletableFuture().get(Math.max(1, left), TimeUnit.NANOSECONDS);
                return found.isUsable() ? null : refused(found.findings().get(0).message(), null);
            } catch (TimeoutException e) {
                return unreachable(last == null ? e : last);
            } catch (ExecutionException e) {
                Throwable failure = e.getCause();
                last = failure;
                if (!(failure instanceof LockUnavailableException unavailable) || left <= 0) {
                    return unreachable(failure);
                }
                if (!unavailable.isTransient()) {
                    return refused(unavailable.getMessage(), failure);
                }
                // The wait is needed because the client may answer "not connected" at once.
                Thread.sleep(PAUSE.toMillis());
            }
        }
    }

    private static LockStartupException refused(@Nullable String message, @Nullable Throwable cause) {
        return new LockStartupException(
                message + ".", "Check the Redis server at the address in spring.data.redis.*." + OR_ELSE, cause);
    }

    private static LockStartupException unreachable(@Nullable Throwable failure) {
        String reason = failure == null || failure.getMessage() == null ? "" : ": " + failure.getMessage();
        return new LockStartupException(
                "Redis did not reply within " + LogText.time(START_LIMIT) + reason + ".",
                "Check that Redis runs at the address in spring.data.redis.*." + OR_ELSE,
                failure);
    }
}
