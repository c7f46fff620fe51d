/** Runs annotated methods under their locks: finds the annotations, evaluates keys, acquires and releases. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.interceptor;
