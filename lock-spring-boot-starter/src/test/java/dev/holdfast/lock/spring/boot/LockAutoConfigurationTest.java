package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.spring.interceptor.LockSettings;
import dev.holdfast.lock.spring.interceptor.LockSettingsSource;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Which beans there are, and when not. */
class LockAutoConfigurationTest {

    private final RedisServer server = RedisServer.shared();

    @Test
    void clientLocksOnTheApplicationsRedis() {
        Contexts.on(server)
                .run(context -> assertThat(Contexts.locksOn(server, context.getBean(LockClient.class)))
                        .isTrue());
    }

    @Test
    void addsOnlyBeansOfItsOwn() {
        ApplicationContextRunner without = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class));
        without.run(bare -> Contexts.on(server).run(context -> {
            List<String> added = Arrays.stream(context.getBeanDefinitionNames())
                    .filter(name -> !bare.containsBeanDefinition(name))
                    .toList();
            assertThat(added)
                    .isNotEmpty()
                    .allSatisfy(
                            name -> assertThat(context.getType(name).getName()).startsWith("dev.holdfast.lock"));
        }));
    }

    @Test
    void backsOffWhereTheApplicationHasALockClient() {
        LockClient own = mock();
        Contexts.on(server)
                .withBean("ownClient", LockClient.class, () -> own)
                .run(context -> assertThat(context.getBean(LockClient.class)).isSameAs(own));
    }

    @Test
    void backsOffWhereTheApplicationHasSettings() {
        LockSettingsSource own = mock();
        Contexts.on(server)
                .withBean("ownSettings", LockSettingsSource.class, () -> own)
                .run(context ->
                        assertThat(context.getBean(LockSettingsSource.class)).isSameAs(own));
    }

    @Test
    void leavesAllOutWhereDisabled() {
        Contexts.on(server)
                .withPropertyValues("holdfast.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LockClient.class)
                        .doesNotHaveBean(LockSettingsSource.class));
    }

    @Test
    void leavesTheClientOutWithoutLettuce() {
        Contexts.on(server)
                .withClassLoader(new FilteredClassLoader(RedisClient.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockClient.class));
    }

    @Test
    void leavesTheClientOutWithoutSpringDataRedis() {
        Contexts.on(server)
                .withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockClient.class));
    }

    @Test
    void leavesTheClientOutWithoutAConnectionFactory() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockClient.class));
    }

    @Test
    void takesAFactoryThatIsDeclaredByItsInterface() {
        Contexts.context()
                .withUserConfiguration(FactoryByInterface.class)
                .withPropertyValues("test.port=" + server.port())
                .run(context -> assertThat(Contexts.locksOn(server, context.getBean(LockClient.class)))
                        .isTrue());
    }

    @Test
    void findsRedisWhereConnectionDetailsSay() {
        // As @ServiceConnection and Docker Compose do it.
        DataRedisConnectionDetails details = new DataRedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of("127.0.0.1", server.port());
            }
        };
        Contexts.context()
                .withBean(DataRedisConnectionDetails.class, () -> details)
                .run(context -> assertThat(Contexts.locksOn(server, context.getBean(LockClient.class)))
                        .isTrue());
    }

    @Test
    void customizerHasTheLastWord() {
        String name = "lock-" + UUID.randomUUID();
        Contexts.on(server)
                .withPropertyValues("holdfast.key-prefix=property:")
                .withBean(LockClientCustomizer.class, () -> builder -> builder.keyPrefix("customizer:"))
                .run(context -> {
                    try (var lease =
                            context.getBean(LockClient.class).lock(name).acquire()) {
                        assertThat(server.cli().exists("customizer:" + name)).isOne();
                    }
                });
    }

    @Test
    void listenersHear() {
        String name = "lock-" + UUID.randomUUID();
        CompletableFuture<String> heard = new CompletableFuture<>();
        LockListener listener = new LockListener() {
            @Override
            public void onAcquired(LockEvent.Acquired event) {
                heard.complete(event.lockName());
            }
        };
        Contexts.on(server).withBean(LockListener.class, () -> listener).run(context -> {
            context.getBean(LockClient.class).lock(name).acquire().close();
            assertThat(heard.get(10, TimeUnit.SECONDS)).isEqualTo(name);
        });
    }

    @Test
    void propertiesReachTheClient() {
        String name = "lock-" + UUID.randomUUID();
        Contexts.on(server)
                .withPropertyValues(
                        "spring.application.name=shop",
                        "holdfast.key-prefix=${spring.application.name}:",
                        "holdfast.watchdog-timeout=7s")
                .run(context -> {
                    try (var lease =
                            context.getBean(LockClient.class).lock(name).acquire()) {
                        assertThat(server.cli().pttl("shop:" + name)).isBetween(1L, 7_000L);
                        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(7));
                    }
                });
    }

    @Test
    void isStartedThoughBeansAreLazy() {
        Contexts.on(server)
                .withInitializer(context -> context.addBeanFactoryPostProcessor(
                        new org.springframework.boot.LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(
                                context.getBean(RestartableLockClient.class).isRunning())
                        .isTrue());
    }

    @Test
    void settingsComeFromTheProperties() {
        Contexts.on(server)
                .withPropertyValues("holdfast.locks.report.enabled=false")
                .run(context -> assertThat(
                                context.getBean(LockSettingsSource.class).named("report"))
                        .extracting(LockSettings::enabled)
                        .isEqualTo(false));
    }

    @Configuration(proxyBeanMethods = false)
    static class FactoryByInterface {

        @Bean
        RedisConnectionFactory factory(org.springframework.core.env.Environment environment) {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration(
                    "127.0.0.1", environment.getRequiredProperty("test.port", Integer.class)));
        }
    }
}
