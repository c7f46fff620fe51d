/** Configures locks in a Spring Boot application: the client from the application's Redis, and the settings from its properties. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot;
