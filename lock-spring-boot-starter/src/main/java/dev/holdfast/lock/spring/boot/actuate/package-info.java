/** Health, endpoints and metrics of locks. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot.actuate;
