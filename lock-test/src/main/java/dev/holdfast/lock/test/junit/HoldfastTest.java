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
 * Gives each test an {@link InMemoryLockClient} of its own, as a parameter of the test or of a method that runs before it. A parameter of type
 * {@link dev.holdfast.lock.LockClient} gets it, too. A test that leaves a lock held or a thread waiting fails, with the stack trace of the
 * acquisition. Not needed with Spring, which does the same for the client in the context.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(InMemoryLocksExtension.class)
public @interface HoldfastTest {}
