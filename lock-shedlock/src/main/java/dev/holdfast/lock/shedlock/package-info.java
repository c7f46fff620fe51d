/** Holdfast's locks for ShedLock. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.shedlock;
