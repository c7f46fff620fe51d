/** Health, endpoint, metrics and observations of locks. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.boot.actuate;
