/** A shop that runs as several instances at the same time, written as a user of Holdfast would write it. */
@NullMarked
package dev.holdfast.lock.sample;

import org.jspecify.annotations.NullMarked;
