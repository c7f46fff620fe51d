/** Puts locks into a Spring Boot application: the client from its Redis, the settings from its properties. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot;
