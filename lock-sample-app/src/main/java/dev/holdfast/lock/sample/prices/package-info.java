/** The price list: many readers or one writer. */
@NullMarked
package dev.holdfast.lock.sample.prices;

import org.jspecify.annotations.NullMarked;
