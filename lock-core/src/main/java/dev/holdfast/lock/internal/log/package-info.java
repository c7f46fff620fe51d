/** Writes the library's log lines on a thread of their own. Knows only the API. */
@NullMarked
package dev.holdfast.lock.internal.log;

import org.jspecify.annotations.NullMarked;
