/** What happens to an order: paid, packed, invoiced and sent, each under a lock of its own. */
@NullMarked
package dev.holdfast.lock.sample.orders;

import org.jspecify.annotations.NullMarked;
