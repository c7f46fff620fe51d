/**
 * What a client's work runs on: threads, clocks, chance, and the log. {@link dev.holdfast.lock.internal.background.Background} is the one object from
 * which a client has all of it.
 */
@NullMarked
package dev.holdfast.lock.internal.background;

import org.jspecify.annotations.NullMarked;
