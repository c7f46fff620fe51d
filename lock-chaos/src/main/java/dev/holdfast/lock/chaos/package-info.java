/** Fault tests: worker processes, faults, and a checker that reads what happened. It knows the locks only by their public API. */
@NullMarked
package dev.holdfast.lock.chaos;

import org.jspecify.annotations.NullMarked;
