/** Creates lock clients on Redis: the client, its builder, and the sources that say how to reach Redis. */
@NullMarked
package dev.holdfast.lock.redis;

import org.jspecify.annotations.NullMarked;
