package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.Nullable;

/** A step of a script. */
@FunctionalInterface
interface LuaStatement {

    /** The result of a statement that leaves a loop. */
    @Nullable
    Object[] BREAK = new Object[0];

    /**
     * Runs the statement.
     *
     * @return null to continue with the next statement, {@link #BREAK} to leave a loop, or the values that the function returns
     */
    @Nullable
    Object @Nullable [] run(LuaScope scope);
}
