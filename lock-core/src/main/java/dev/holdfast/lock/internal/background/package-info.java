/**
 * The environment of a client's work: threads, clocks, random numbers, and the log. A client gets all of these from one {@link
 * dev.holdfast.lock.internal.background.Background}.
 */
@NullMarked
package dev.holdfast.lock.internal.background;

import org.jspecify.annotations.NullMarked;
