/** Manages the stock. It is counted under a lock, written with its fencing token, and reported once at each tick. */
@NullMarked
package dev.holdfast.lock.sample.stock;

import org.jspecify.annotations.NullMarked;
