/** From an annotated method to a held lock and back. */
@NullMarked
package dev.holdfast.lock.spring.interceptor;

import org.jspecify.annotations.NullMarked;
