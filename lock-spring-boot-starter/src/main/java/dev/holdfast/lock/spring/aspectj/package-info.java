/** Locks for calls that no proxy sees: an aspect that AspectJ weaves into the annotated classes. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.aspectj;
