/** A shop that runs as several instances beside each other, as a user of Holdfast would write it. */
@NullMarked
package dev.holdfast.lock.sample;

import org.jspecify.annotations.NullMarked;
