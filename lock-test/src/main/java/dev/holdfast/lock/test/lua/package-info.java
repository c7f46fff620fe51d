/** Runs the Lua code of the lock scripts. Supports the part of Lua 5.1 that they use. */
@NullMarked
package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.NullMarked;
