/** Processes orders. Orders are paid, packed, invoiced and sent, each step under its own lock. */
@NullMarked
package dev.holdfast.lock.sample.orders;

import org.jspecify.annotations.NullMarked;
