package dev.holdfast.lock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a {@link org.springframework.scheduling.annotation.Scheduled @Scheduled} method without a lock is meant to run on every instance, such as
 * one that refreshes a cache of its instance. It changes nothing at run time: {@code LockedClasses} of {@code lock-test} reads it.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface OnEveryInstance {}
