/** The last lock events of this instance. Internal. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.journal;
