/** Health, endpoint, metrics and observations of locks. */
@NullMarked
package dev.holdfast.lock.spring.boot.actuate;

import org.jspecify.annotations.NullMarked;
