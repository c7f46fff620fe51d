/** Tests of applications with locks: a lock client in memory, on a clock that the test moves, and what it shows of the locks. */
@NullMarked
package dev.holdfast.lock.test;

import org.jspecify.annotations.NullMarked;
