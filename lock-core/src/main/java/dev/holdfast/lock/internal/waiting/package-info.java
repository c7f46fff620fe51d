/** Waiting: one room for each lock and client, and the signals that wake its head. Knows nothing of Redis. */
@NullMarked
package dev.holdfast.lock.internal.waiting;

import org.jspecify.annotations.NullMarked;
