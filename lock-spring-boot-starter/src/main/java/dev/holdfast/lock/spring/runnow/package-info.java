/** Runs of scheduled methods at once, on request. Internal. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.runnow;
