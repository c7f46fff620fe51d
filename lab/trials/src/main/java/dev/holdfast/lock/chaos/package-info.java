/** Fault tests: worker processes, faults, and a checker that reads the history. They use locks only through the public API. */
@NullMarked
package dev.holdfast.lock.chaos;

import org.jspecify.annotations.NullMarked;
