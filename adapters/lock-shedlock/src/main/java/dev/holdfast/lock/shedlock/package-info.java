/** Provides Holdfast's locks to ShedLock. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.shedlock;
