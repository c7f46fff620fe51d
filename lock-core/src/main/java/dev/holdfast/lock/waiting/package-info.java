/** Waiting: one room for each lock and client, and the signals that wake its head. Knows nothing of Redis. */
@NullMarked
package dev.holdfast.lock.waiting;

import org.jspecify.annotations.NullMarked;
