/** The events of a client: counters, log lines, and notifications of listeners. */
@NullMarked
package dev.holdfast.lock.internal.event;

import org.jspecify.annotations.NullMarked;
