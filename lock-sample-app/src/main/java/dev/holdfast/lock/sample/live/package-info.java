/** What the page shows: this instance's lock events, as they happen. */
@NullMarked
package dev.holdfast.lock.sample.live;

import org.jspecify.annotations.NullMarked;
