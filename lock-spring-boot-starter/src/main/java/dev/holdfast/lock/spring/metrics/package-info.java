/** The locks in numbers, for Micrometer. */
@NullMarked
package dev.holdfast.lock.spring.metrics;

import org.jspecify.annotations.NullMarked;
