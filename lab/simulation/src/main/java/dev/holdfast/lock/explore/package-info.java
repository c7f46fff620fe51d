/** Explores all orders of events of a few clients up to a bound. The clients are the product's own; the network, the server and the clock are not. */
@NullMarked
package dev.holdfast.lock.explore;

import org.jspecify.annotations.NullMarked;
