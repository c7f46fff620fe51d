package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The client starts and stops with the context, however often that does, and with Redis there or not. */
class LifecycleTest {

    private final RedisServer server = RedisServer.shared();
    private final String name = "lock-" + UUID.randomUUID();

    @Test
    void contextStartsWhileRedisIsDownAndLocksWorkOnceItIsUp() {
        try (RedisServer own = RedisServer.start()) {
            own.kill();
            // Without a bean that needs it, the client would not start with the context.
            Contexts.on(own).withBean(LocksAtStartupTest.HasClient.class).run(context -> {
                assertThat(context).hasNotFailed();
                LockClient locks = context.getBean(LockClient.class);
                assertThatExceptionOfType(LockUnavailableException.class)
                        .isThrownBy(() -> locks.getLock(name).tryAcquire());
                own.restart();
                // Given back, or the context would keep it for its grace time.
                try (Lease lease =
                        locks.getLock(name).acquire(AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(20)))) {
                    assertThat(lease.isHeld()).isTrue();
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lettuce", "jedis"})
    void beanAndItsLocksAreUsableAfterARestartOfTheContext(String clientType) {
        Contexts.on(server)
                .withPropertyValues("spring.data.redis.client-type=" + clientType)
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    LeaseLock lock = locks.getLock(name);
                    lock.acquire().close();
                    for (int i = 0; i < 2; i++) {
                        restart(context);
                        assertThat(lock.tryLock(Duration.ofSeconds(15))).isTrue();
                        assertThat(server.cli().exists(name)).isOne();
                        lock.unlock();
                    }
                    assertThat(context.getBean(LockClient.class)).isSameAs(locks);
                });
    }

    @Test
    void runningBodyKeepsItsLockUntilItIsDone() {
        Contexts.on(server).withPropertyValues("holdfast.shutdown-grace=30s").run(context -> {
            LockClient locks = context.getBean(LockClient.class);
            Lease lease = locks.getLock(name).acquire();
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(() -> stop(context));
            // From here on the client is closing.
            Await.until("nothing new is acquired", Await.PATIENCE, () -> isRefused(locks));
            assertThat(lease.isHeld()).isTrue();
            assertThat(server.cli().exists(name)).isOne();
            assertThat(stopping).isNotDone();
            lease.close();
            stopping.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(server.cli().exists(name)).isZero();
        });
    }

    private boolean isRefused(LockClient locks) {
        try {
            locks.getLock(name + "-new").tryAcquire().ifPresent(Lease::close);
            return false;
        } catch (LockUnavailableException e) {
            return true;
        }
    }

    @Test
    void startsBeforeAndStopsAfterWhateverCallsAnnotatedMethods() {
        assertThat(LockClientLifecycle.PHASE)
                .isGreaterThan(new LettuceConnectionFactory().getPhase())
                .isLessThan(new ThreadPoolTaskExecutor().getPhase())
                .isLessThan(new ThreadPoolTaskScheduler().getPhase())
                // The web server's; its graceful shutdown and message listeners are further out.
                .isLessThan(SmartLifecycle.DEFAULT_PHASE - 2048);
    }

    @Test
    void clientThatTheApplicationBuildsIsStartedAndStoppedWithTheContextAndHasTheProperties() {
        Contexts.on(server)
                .withUserConfiguration(OwnClient.class)
                .withPropertyValues(
                        "holdfast.key-prefix=own:", "holdfast.shutdown-grace=0s", "test.uri=" + server.uri())
                .run(context -> {
                    LeaseLock lock = context.getBean(LockClient.class).getLock(name);
                    for (int i = 0; i < 2; i++) {
                        Lease lease = lock.acquire();
                        assertThat(server.cli().exists("own:" + name)).isOne();
                        stop(context);
                        assertThat(server.cli().exists("own:" + name)).isZero();
                        assertThat(lease.isHeld()).isFalse();
                        context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                                .start();
                    }
                });
    }

    @Test
    void clientOfTheParentContextOutlivesTheChild() {
        Contexts.on(server).run(parent -> {
            LeaseLock lock = parent.getBean(LockClient.class).getLock(name);
            Contexts.context().withParent(parent).run(child -> {
                assertThat(child.getBean(LockClient.class)).isSameAs(parent.getBean(LockClient.class));
                lock.acquire().close();
            });
            lock.acquire().close();
        });
    }

    private static void restart(AssertableApplicationContext context) {
        stop(context);
        context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                .start();
    }

    private static void stop(AssertableApplicationContext context) {
        context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                .stop();
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnClient {

        @Bean
        LockClient ownClient(ObjectProvider<LockClientCustomizer> customizers, @Value("${test.uri}") String uri) {
            RedisLockClientBuilder builder = RedisLockClient.builder(RedisSource.of(uri));
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
            return builder.buildStopped();
        }
    }
}
