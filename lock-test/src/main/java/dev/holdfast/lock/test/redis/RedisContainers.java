package dev.holdfast.lock.test.redis;

import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.containers.GenericContainer;

/** The container of {@link ContainerRedis}. */
interface RedisContainers {

    int PORT = 6379;

    @ServiceConnection(name = "redis")
    GenericContainer<?> REDIS = new GenericContainer<>(
                    System.getProperty("holdfast.test.redis-image", "redis:7-alpine"))
            .withExposedPorts(PORT);
}
