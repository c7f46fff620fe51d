/** Locks for calls that no proxy sees: an aspect that AspectJ weaves into the annotated classes. */
@NullMarked
package dev.holdfast.lock.spring.aspectj;

import org.jspecify.annotations.NullMarked;
