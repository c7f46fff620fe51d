/** The representation of each kind of lock in Redis: keys, owner ids, fencing tokens, scripts and their answers. */
@NullMarked
package dev.holdfast.lock.internal.protocol;

import org.jspecify.annotations.NullMarked;
