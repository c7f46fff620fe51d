/** A Redis in memory: its keys, the commands that the lock scripts use, and the gateway to it. */
@NullMarked
package dev.holdfast.lock.test.memory;

import org.jspecify.annotations.NullMarked;
