package dev.holdfast.lock.spring.boot;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.boot.actuate.LockHealthContributorAutoConfiguration;
import dev.holdfast.lock.spring.boot.actuate.LockMeterAutoConfiguration;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Locks that beans take while the application starts: "only one instance migrates the data". */
class LocksAtStartupTest {

    private final RedisServer server = RedisServer.shared();

    @Test
    void annotatedMethodIsLockedDuringEachStepOfTheStart() {
        Contexts.locked(server).withUserConfiguration(Migrations.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean("madeByMethod")).isEqualTo("migration");
            assertThat(context.getBean(Callbacks.class).locks()).containsExactly("migration", "migration");
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {StartersClient.class, LifecycleTest.OwnClient.class})
    void clientTakesLocksAsSoonAsItsBeanExists(Class<?> client) {
        Contexts.on(server)
                .withUserConfiguration(client)
                .withPropertyValues("test.uri=" + server.uri())
                .withBean(Early.class)
                .run(context -> {
                    Early early = context.getBean(Early.class);
                    assertThat(early.blocking.isHeld()).isTrue();
                    assertThat(early.asynchronous.isHeld()).isTrue();
                    // The application's end would wait for their release.
                    early.blocking.close();
                    early.asynchronous.close();
                });
    }

    static class StartersClient {}

    @Test
    void startThatFailsLaterLeavesNoLock() {
        String name = "lock-" + UUID.randomUUID();
        Contexts.on(server)
                .withBean(FailsAfterLocking.class, name)
                .run(context -> assertThat(context).hasFailed().getFailure().hasMessageContaining("no table"));
        assertThat(server.cli().exists(name)).isZero();
    }

    @Test
    void clientWaitsForAFactoryThatStartsInItsPhase() {
        Contexts.context()
                .withBean(LettuceConnectionFactory.class, () -> {
                    LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", server.port());
                    factory.setEarlyStartup(false);
                    return factory;
                })
                .run(context -> assertThat(Contexts.locksOn(server, context.getBean(LockClient.class)))
                        .isTrue());
    }

    @Test
    void startDoesNotWaitForRedisThatHangs() {
        try (RedisServer hanging = RedisServer.start()) {
            hanging.pause();
            long begun = System.nanoTime();
            Contexts.locked(hanging)
                    .withPropertyValues("spring.data.redis.timeout=10m", "spring.data.redis.connect-timeout=10m")
                    .withBean(Migration.class)
                    .run(context -> {
                        Duration took = Duration.ofNanos(System.nanoTime() - begun);
                        hanging.resume();
                        assertThat(context).hasNotFailed();
                        assertThat(took).isLessThan(Duration.ofSeconds(Nightly.Night.isOn() ? 5 : 120));
                        assertThat(context.getBean(Migration.class).run()).isEqualTo("migration");
                    });
        }
    }

    @Test
    void withoutALockOnlyWhatSpringNeedsIsCreated() {
        Contexts.locked(server)
                .run(context -> assertThat(context.getBeanFactory().getSingletonNames())
                        .contains("holdfastLockClientLifecycle")
                        .doesNotContain(
                                "holdfastLockClient",
                                "holdfastPropertiesCustomizer",
                                "holdfastInterceptor",
                                "holdfastJobBoard",
                                "holdfastPauses"));
    }

    /** Beans of health and meters are no need. A request for health asks Redis, and so is a use. */
    @Test
    void requestForHealthUsesAClientAndMetersDoNot() {
        Contexts.locked(server)
                .withConfiguration(AutoConfigurations.of(
                        LockHealthContributorAutoConfiguration.class, LockMeterAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues("management.health.holdfast.timeout=20s")
                .run(context -> {
                    RedisLockClient client = context.getBean(RedisLockClient.class);
                    SimpleMeterRegistry meters = context.getBean(SimpleMeterRegistry.class);
                    context.getBeanProvider(MeterBinder.class).forEach(binder -> binder.bindTo(meters));
                    assertThat(meters.get("holdfast.lock.findings").gauges())
                            .extracting(Gauge::value)
                            .containsOnly(0.0);
                    assertThat(client.isStarted()).isFalse();
                    assertThat(context.getBean(HealthIndicator.class).health().getStatus())
                            .isEqualTo(Status.UP);
                    assertThat(client.isStarted()).isTrue();
                });
    }

    @Test
    void clientThatWasNeverUsedStaysClosedAfterItsContext() {
        AtomicReference<RedisLockClient> client = new AtomicReference<>();
        Contexts.locked(server).run(context -> client.set(context.getBean(RedisLockClient.class)));
        assertThatExceptionOfType(LockUnavailableException.class)
                .isThrownBy(() -> client.get().getLock("late").acquire());
        assertThat(client.get().isStarted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(classes = {HasClient.class, Migration.class})
    void clientThatABeanOrAnAnnotatedMethodNeedsIsStarted(Class<?> bean) {
        Contexts.locked(server)
                .withBean(bean)
                .run(context -> assertThat(
                                context.getBean(RedisLockClient.class).isStarted())
                        .isTrue());
    }

    record HasClient(LockClient client) {}

    static class Migration {
        @DistributedLock(name = "migration", waitTime = "30s")
        public String run() {
            return lock();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Migrations {
        @Bean
        Migration migration() {
            return new Migration();
        }

        @Bean
        String madeByMethod(Migration migration) {
            return migration.run();
        }

        @Bean
        Callbacks callbacks(Migration migration) {
            return new Callbacks(migration, new ArrayList<>());
        }
    }

    /** Calls the method when it is initialized, and when all beans exist. */
    record Callbacks(Migration migration, List<String> locks) implements InitializingBean, SmartInitializingSingleton {

        @Override
        public void afterPropertiesSet() {
            locks.add(migration.run());
        }

        @Override
        public void afterSingletonsInstantiated() {
            locks.add(migration.run());
        }
    }

    static final class Early {
        final Lease blocking;
        final Lease asynchronous;

        Early(LockClient locks) {
            String name = "lock-" + UUID.randomUUID();
            blocking = locks.getLock(name).acquire();
            asynchronous = locks.getLock(name + "-async")
                    .acquireAsync(AcquireOptions.defaults())
                    .toCompletableFuture()
                    .join();
        }
    }

    static final class FailsAfterLocking implements SmartInitializingSingleton {
        private final LeaseLock lock;

        FailsAfterLocking(String name, LockClient locks) {
            this.lock = locks.getLock(name);
        }

        @Override
        public void afterSingletonsInstantiated() {
            var kept = lock.acquire();
            assertThat(kept.isHeld()).isTrue();
            throw new IllegalStateException("no table");
        }
    }
}
