/** What a lock is to a thread: holds that are counted, waits that an interrupt ends or does not. Knows only the API. */
@NullMarked
package dev.holdfast.lock.internal.thread;

import org.jspecify.annotations.NullMarked;
