/** How long a call holds its locks, by the result of its method: blocking, futures, publishers, coroutines. Internal. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.result;
