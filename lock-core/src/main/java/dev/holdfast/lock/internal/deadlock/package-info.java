/** Notes beside holds about what their holders wait for, which show deadlocks. This package is a room. */
@NullMarked
package dev.holdfast.lock.internal.deadlock;

import org.jspecify.annotations.NullMarked;
