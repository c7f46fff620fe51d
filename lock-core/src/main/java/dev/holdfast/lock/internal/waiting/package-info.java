/** Waiting: one room for each lock of a client, and the signals that wake the head of a room. Knows nothing about Redis. */
@NullMarked
package dev.holdfast.lock.internal.waiting;

import org.jspecify.annotations.NullMarked;
