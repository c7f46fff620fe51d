/** The small applications whose start and whose idle time the benchmarks measure. They use nothing else of this module. */
@NullMarked
package dev.holdfast.lock.benchmarks.application;

import org.jspecify.annotations.NullMarked;
