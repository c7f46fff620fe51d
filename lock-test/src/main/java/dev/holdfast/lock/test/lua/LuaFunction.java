package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.Nullable;

/** A function of a script, or one that is given to a script. Values are null, Boolean, Double, String, LuaTable or LuaFunction. */
@FunctionalInterface
public interface LuaFunction {

    /** Calls the function, which may return any number of values. */
    @Nullable
    Object[] call(@Nullable Object[] arguments);
}
