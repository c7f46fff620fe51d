/** Scheduled tasks as they fire: which one runs on a thread, and how to fire it once more. Internal. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.schedule;
