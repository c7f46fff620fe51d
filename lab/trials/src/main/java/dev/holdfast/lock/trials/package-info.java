/** What fault tests and benchmarks share: the libraries, and the folder of a report. */
@NullMarked
package dev.holdfast.lock.trials;

import org.jspecify.annotations.NullMarked;
