/** Compares Holdfast with other libraries, in the same run. */
@NullMarked
package dev.holdfast.lock.benchmarks;

import org.jspecify.annotations.NullMarked;
