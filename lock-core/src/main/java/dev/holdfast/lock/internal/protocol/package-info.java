/** How Redis keeps each kind of lock: keys, owner ids, fencing tokens, scripts and their answers. */
@NullMarked
package dev.holdfast.lock.internal.protocol;

import org.jspecify.annotations.NullMarked;
