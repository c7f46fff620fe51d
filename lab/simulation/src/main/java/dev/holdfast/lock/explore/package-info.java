/** Does any order of the events of a few clients break a promise? The clients are the product's own; the network, the server and the clock are not. */
@NullMarked
package dev.holdfast.lock.explore;

import org.jspecify.annotations.NullMarked;
