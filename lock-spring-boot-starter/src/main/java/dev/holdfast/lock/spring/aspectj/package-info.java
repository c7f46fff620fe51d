/** Locks for calls that no proxy sees: an aspect that AspectJ weaves into the annotated classes. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.aspectj;
