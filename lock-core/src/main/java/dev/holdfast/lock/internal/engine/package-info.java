/** One engine for each lock: acquires, holds, hands over, releases, takes back. The same path for all kinds. */
@NullMarked
package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.NullMarked;
