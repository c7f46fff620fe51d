/** Runs the Lua of the lock scripts: the part of Lua 5.1 that they use. */
@NullMarked
package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.NullMarked;
