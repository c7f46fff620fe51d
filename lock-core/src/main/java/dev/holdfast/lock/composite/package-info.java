/** Locks made of locks: several as one, or a majority of several servers as one. Knows only the API and what a lock is to a thread. */
@NullMarked
package dev.holdfast.lock.composite;

import org.jspecify.annotations.NullMarked;
