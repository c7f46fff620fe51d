/** The stock: counted under a lock, written with its fencing token, reported once a tick. */
@NullMarked
package dev.holdfast.lock.sample.stock;

import org.jspecify.annotations.NullMarked;
