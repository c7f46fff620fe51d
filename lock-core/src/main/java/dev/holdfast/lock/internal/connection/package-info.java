/** The access to Redis: the client's own connections, scripts, channels, and failures. The only package that knows Lettuce. */
@NullMarked
package dev.holdfast.lock.internal.connection;

import org.jspecify.annotations.NullMarked;
