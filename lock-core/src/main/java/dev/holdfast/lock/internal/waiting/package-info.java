/** Waiting: one room for each lock of a client. Knows nothing about Redis. */
@NullMarked
package dev.holdfast.lock.internal.waiting;

import org.jspecify.annotations.NullMarked;
