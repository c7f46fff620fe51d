/** Shows this instance's lock events on the page as they happen. */
@NullMarked
package dev.holdfast.lock.sample.live;

import org.jspecify.annotations.NullMarked;
