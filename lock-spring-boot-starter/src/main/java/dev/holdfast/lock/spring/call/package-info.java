/**
 * A call under its locks: the interceptor, acquiring, holding until the result is there, and releasing. It names no feature; what a feature does around
 * a lock is an {@link dev.holdfast.lock.spring.call.AroundLock}. Internal: public types are for the other packages of the starter, and for the modules
 * that belong to it.
 */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.call;
