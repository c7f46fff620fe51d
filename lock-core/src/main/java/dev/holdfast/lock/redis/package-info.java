/** Locks on Redis: the engine, the kinds of locks with their scripts, and the client that ties everything together. */
@NullMarked
package dev.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
