/** Health, endpoint, metrics and observations of locks. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot.actuate;
