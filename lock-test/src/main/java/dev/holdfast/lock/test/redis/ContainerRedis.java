package dev.holdfast.lock.test.redis;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.testcontainers.context.ImportTestcontainers;
import org.springframework.test.context.TestPropertySource;

/**
 * Runs a Spring Boot test against a real Redis in a container, which is started once for all tests of the JVM. The application's connections and
 * locks use it through a {@code @ServiceConnection}, and the client in memory is switched off. Needs {@code spring-boot-testcontainers} on the test
 * class path, and Docker. The image is {@code redis:7-alpine}, or the value of the system property {@code holdfast.test.redis-image}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportTestcontainers(RedisContainers.class)
@TestPropertySource(properties = "holdfast.test.in-memory=false")
public @interface ContainerRedis {}
