/** Supports tests of Spring Boot applications with locks. */
@NullMarked
package dev.holdfast.lock.test.spring;

import org.jspecify.annotations.NullMarked;
