/** Locks that are kept until the transaction around their call has completed. Internal. This package is a room. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.transaction;
