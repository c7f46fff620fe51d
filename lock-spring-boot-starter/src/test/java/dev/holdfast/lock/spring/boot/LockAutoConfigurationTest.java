package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.redis.RedisSource;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.spring.LockConnectionFactory;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.LockEventPublisher;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisReplication;
import dev.holdfast.lock.testing.RedisServer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Which beans there are, and when not. */
class LockAutoConfigurationTest {

    private final RedisServer server = RedisServer.shared();

    @Test
    void addsOnlyBeansOfItsOwn() {
        ApplicationContextRunner without = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class));
        ApplicationContextRunner with = Contexts.on(server)
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, LockInterceptorAutoConfiguration.class));
        without.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .run(bare -> with.run(context -> {
                    List<String> added = Arrays.stream(context.getBeanDefinitionNames())
                            .filter(name -> !bare.containsBeanDefinition(name))
                            .toList();
                    assertThat(added)
                            .isNotEmpty()
                            .allSatisfy(name -> assertThat(AopUtils.getTargetClass(context.getBean(name))
                                            .getName())
                                    .startsWith("dev.holdfast.lock"))
                            .allMatch(name -> name.startsWith("holdfast") || name.startsWith("dev.holdfast."));
                }));
    }

    @ParameterizedTest
    @CsvSource({
        "false,false",
        "off,false",
        "no,false",
        "0,false",
        "true,true",
        "on,true",
        "yes,true",
        "1,true",
        "TRUE,true"
    })
    void switchDecidesWhetherAnnotatedMethodsAreLockedAndTheClientStays(String value, boolean isLocked) {
        Contexts.locked(server)
                .withPropertyValues("holdfast.enabled=" + value)
                .withBean(Jobs.class)
                .run(context -> {
                    assertThat(Contexts.locksOn(server, context.getBean(LockClient.class)))
                            .isTrue();
                    assertThat(context.getBean(Jobs.class).isLocked()).isEqualTo(isLocked);
                });
    }

    @Test
    void applicationsRedisSourceWins() {
        try (RedisServer other = RedisServer.start()) {
            Contexts.on(server)
                    .withBean("one", LettuceConnectionFactory.class)
                    .withBean("two", LettuceConnectionFactory.class)
                    .withBean(RedisSource.class, () -> RedisSource.of(other.uri()))
                    .withPropertyValues("holdfast.key-prefix=elsewhere:")
                    .run(context -> {
                        try (var lease =
                                context.getBean(LockClient.class).getLock("job").acquire()) {
                            assertThat(lease.isHeld()).isTrue();
                            assertThat(other.cli().exists("elsewhere:job")).isOne();
                        }
                    });
        }
    }

    @Test
    void markedFactoryWinsOverThePrimaryOne() {
        try (RedisServer other = RedisServer.start()) {
            Contexts.context()
                    .withUserConfiguration(TwoFactories.class)
                    .withPropertyValues("test.port=" + server.port(), "test.other=" + other.port())
                    .run(context -> assertThat(Contexts.locksOn(other, context.getBean(LockClient.class)))
                            .isTrue());
        }
    }

    @Test
    void factoryCountsAndNotTheProperty() {
        Contexts.context()
                .withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory("127.0.0.1", server.port()))
                .withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2")
                .run(context -> assertThat(Contexts.locksOn(server, context.getBean(LockClient.class)))
                        .isTrue());
    }

    @Test
    void masterAndReplicasOfTheApplicationsOwnFactoryAreFound() {
        try (RedisReplication group = RedisReplication.start(1)) {
            RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration(
                    "127.0.0.1", group.master().port());
            nodes.addNode("127.0.0.1", group.replicas().get(0).port());
            Contexts.context()
                    .withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory(nodes))
                    .run(context -> assertThat(Contexts.locksOn(group.master(), context.getBean(LockClient.class)))
                            .isTrue());
        }
    }

    @Test
    void applicationReplacesTheEventPublisher() {
        CompletableFuture<Object> heard = new CompletableFuture<>();
        Contexts.on(server)
                .withBean(LockEventPublisher.class, () -> new LockEventPublisher(heard::complete))
                .run(context -> {
                    context.getBean(LockClient.class)
                            .getLock("published")
                            .acquire()
                            .close();
                    assertThat(context).hasSingleBean(LockEventPublisher.class);
                    assertThat(heard.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isInstanceOfSatisfying(
                                    LockEvent.class,
                                    event -> assertThat(event.lockName()).isEqualTo("published"));
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"io.lettuce", "org.springframework.data.redis"})
    void leavesTheClientOutWithoutALibrary(String missing) {
        Contexts.on(server)
                .withClassLoader(new FilteredClassLoader(missing))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockClient.class));
    }

    @Test
    void applicationWithoutLocksAndAConnectionFactoryStartsWithoutAClient() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockClient.class));
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
                            context.getBean(LockClient.class).getLock(name).acquire()) {
                        assertThat(server.cli().exists("customizer:" + name)).isOne();
                    }
                });
    }

    static class Jobs {

        @DistributedLock(name = "switched-job")
        public boolean isLocked() {
            return LockContext.find().isPresent();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoFactories {

        @Bean
        @Primary
        RedisConnectionFactory forData(@Value("${test.port}") int port) {
            return new LettuceConnectionFactory("127.0.0.1", port);
        }

        @Bean
        @LockConnectionFactory
        RedisConnectionFactory forLocks(@Value("${test.other}") int port) {
            return new LettuceConnectionFactory("127.0.0.1", port);
        }
    }
}
