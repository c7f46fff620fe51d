/** How to create a lock client on Redis: the client, its builder, and the ways to reach Redis. */
@NullMarked
package dev.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
