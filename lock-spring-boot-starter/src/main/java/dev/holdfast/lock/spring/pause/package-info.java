/** Pauses of declared locks on all instances. Internal. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.pause;
