/** Distributed locks: the API. */
@NullMarked
package dev.holdfast.lock;

import org.jspecify.annotations.NullMarked;
