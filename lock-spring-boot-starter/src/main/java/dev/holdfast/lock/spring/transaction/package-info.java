/** Locks that are kept until the transaction around their call has completed. Internal. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.transaction;
