package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.test.InMemoryLockClient;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.TestPropertySource;

/**
 * Enables {@code @DistributedLock} in a test slice, with an {@link InMemoryLockClient}. A {@code @SpringBootTest} does not need this annotation: this
 * module on the class path is enough, unless it starts only a part of the application: then settings of locks that no bean declares are ignored, as in a
 * slice.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@TestPropertySource(properties = "holdfast.test.slice=true")
public @interface AutoConfigureHoldfastTest {}
