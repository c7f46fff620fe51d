package dev.holdfast.lock.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.boot.LockAutoConfiguration;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.handler.advice.LockRequestHandlerAdvice;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.MessageBuilder;

class LockIntegrationAutoConfigurationTest {

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        LockAutoConfiguration.class,
                        LockIntegrationAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.port=" + RedisServer.shared().port());
    }

    @Test
    void registryIsThereWithALockClient() {
        application()
                .withPropertyValues("holdfast.integration.registry-key=shop")
                .run(context ->
                        assertThat(context.getBean(LockRegistry.class)).hasToString("HoldfastLockRegistry[shop]"));
    }

    @Test
    void registryOfTheApplicationStays() {
        application()
                .withBean(DefaultLockRegistry.class)
                .run(context ->
                        assertThat(context).getBean(LockRegistry.class).isInstanceOf(DefaultLockRegistry.class));
    }

    @Test
    void withoutALockClientThereIsNoRegistry() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LockIntegrationAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
    }

    /** A leader that stopped after the client would keep its lock for the grace time. */
    @Test
    @Timeout(Await.TEST_SECONDS)
    void leaderIsElectedAndStopsBeforeTheClient() {
        application()
                .withPropertyValues("holdfast.shutdown-grace=10m")
                .withUserConfiguration(Elected.class)
                .run(context -> assertThat(Elected.granted.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue());
    }

    @Test
    void lockAdviceRunsAHandlerUnderItsLock() {
        application().withUserConfiguration(Advised.class).run(context -> {
            String order = UUID.randomUUID().toString();
            context.getBean("orders", MessageChannel.class)
                    .send(MessageBuilder.withPayload(order).build());
            assertThat(Advised.heldInside).hasValue("integration:" + order);
            assertThat(context.getBean(LockClient.class).heldLocks()).isEmpty();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Elected {
        static final CountDownLatch granted = new CountDownLatch(1);

        @Bean
        LockRegistryLeaderInitiator leader(LockRegistry<?> locks) {
            return new LockRegistryLeaderInitiator(locks, new DefaultCandidate("one", "role-" + UUID.randomUUID()));
        }

        @EventListener
        void granted(OnGrantedEvent event) {
            granted.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIntegration
    static class Advised {
        static final AtomicReference<String> heldInside = new AtomicReference<>();

        @Bean
        LockRequestHandlerAdvice oneAtATime(LockRegistry<?> locks) {
            return new LockRequestHandlerAdvice(locks, message -> message.getPayload());
        }

        @Bean
        Handler handler(LockClient client) {
            return new Handler(client);
        }
    }

    record Handler(LockClient client) {
        @ServiceActivator(inputChannel = "orders", adviceChain = "oneAtATime")
        public void handle(String order) {
            Advised.heldInside.set(client.heldLocks().get(0).lockName());
        }
    }
}
