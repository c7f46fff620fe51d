/** The engine of each lock: acquires, holds, hands over, releases, and takes back. All kinds of locks share the same code. */
@NullMarked
package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.NullMarked;
