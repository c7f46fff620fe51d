/** Puts locks into a Spring Boot application: the client from its Redis, the settings from its properties. */
@NullMarked
package dev.holdfast.lock.spring.boot;

import org.jspecify.annotations.NullMarked;
