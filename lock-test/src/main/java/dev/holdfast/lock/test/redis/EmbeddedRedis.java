package dev.holdfast.lock.test.redis;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * Runs a Spring Boot test against a real Redis, which is started once for all tests of the JVM on a free port of the loopback address. The
 * application's connections and locks use it, as with a service connection, and the client in memory is switched off. Needs {@code
 * org.signal:embedded-redis} on the test class path, which contains binaries for Linux and macOS, or a {@code redis-server} on the PATH. Its data
 * remain from test to test.
 *
 * @see EmbeddedRedisServer for a test without Spring
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(EmbeddedRedisConfiguration.class)
@TestPropertySource(properties = "holdfast.test.in-memory=false")
public @interface EmbeddedRedis {}
