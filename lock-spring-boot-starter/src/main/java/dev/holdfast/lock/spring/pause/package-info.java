/** Pauses of declared locks on all instances. Internal. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.pause;
