/** The way to Redis, and the only package that knows Lettuce: connections of our own, scripts, channels, and what went wrong. */
@NullMarked
package dev.holdfast.lock.internal.connection;

import org.jspecify.annotations.NullMarked;
