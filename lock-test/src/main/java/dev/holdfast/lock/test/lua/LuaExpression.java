package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.Nullable;

/** Something with a value. Only a call may have none or several. */
@FunctionalInterface
interface LuaExpression {

    @Nullable
    Object evaluate(LuaScope scope);

    default @Nullable Object[] evaluateAll(LuaScope scope) {
        return LuaLibrary.one(evaluate(scope));
    }
}
