/** From an annotated method to a held lock and back. */
@org.jspecify.annotations.NullMarked
package dev.holdfast.lock.spring.interceptor;
