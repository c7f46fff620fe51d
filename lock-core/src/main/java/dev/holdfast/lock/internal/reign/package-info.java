@NullMarked
package dev.holdfast.lock.internal.reign;

import org.jspecify.annotations.NullMarked;
