package dev.holdfast.lock.test.junit;

import dev.holdfast.lock.test.InMemoryLockClient;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test its own {@link InMemoryLockClient}, as a parameter of the test or of a method that runs before it. A parameter of type {@link
 * dev.holdfast.lock.LockClient} receives the same client. A test that leaves a lock held or a thread waiting fails, with the stack trace of the
 * acquisition. Not needed with Spring, where the same happens for the client in the context.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(InMemoryLocksExtension.class)
public @interface HoldfastTest {}
