/** A Redis in memory: what it keeps, the commands that the lock scripts use, and the way to it. */
@NullMarked
package dev.holdfast.lock.test.memory;

import org.jspecify.annotations.NullMarked;
