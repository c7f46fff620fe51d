package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.Nullable;

/** A step of a script. */
@FunctionalInterface
interface LuaStatement {

    /** A loop is left. */
    @Nullable
    Object[] BREAK = new Object[0];

    /**
     * Runs the statement.
     *
     * @return null to go on with the next one; {@link #BREAK}; else what the function returns
     */
    @Nullable
    Object @Nullable [] run(LuaScope scope);
}
