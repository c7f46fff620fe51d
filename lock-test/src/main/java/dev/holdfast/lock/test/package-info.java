/** Supports tests of applications with locks: a lock client in memory, on a clock that the test moves, and assertions on the history of locks. */
@NullMarked
package dev.holdfast.lock.test;

import org.jspecify.annotations.NullMarked;
