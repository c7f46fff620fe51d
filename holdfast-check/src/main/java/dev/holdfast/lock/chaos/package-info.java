/** Workers that use locks, faults that break what they stand on, and a checker that judges what happened. The laboratory adds servers that it may break. */
@NullMarked
package dev.holdfast.lock.chaos;

import org.jspecify.annotations.NullMarked;
