package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.RedisContainer;
import dev.holdfast.lock.testing.RedisContainerCondition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** A Redis that no property names: Testcontainers starts it, and Spring Boot's service connection says where it is. */
@ExtendWith(RedisContainerCondition.class)
class ServiceConnectionTest {

    @Test
    void locksAreInTheContainer() {
        Contexts.context()
                .withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
                .withUserConfiguration(Containers.class)
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    try (var lease = locks.getLock("in-a-container").acquire()) {
                        assertThat(lease.verify()).isTrue();
                    }
                    assertThat(context.getBean(DataRedisConnectionDetails.class)
                                    .getStandalone()
                                    .getPort())
                            .isEqualTo(context.getBean(GenericContainer.class).getMappedPort(6379));
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Containers {
        @Bean
        @ServiceConnection("redis")
        GenericContainer<?> redis() {
            return new GenericContainer<>(DockerImageName.parse(RedisContainer.image())).withExposedPorts(6379);
        }
    }
}
