package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.Nullable;

/** An expression. Only a call may have no value or several. */
@FunctionalInterface
interface LuaExpression {

    @Nullable
    Object evaluate(LuaScope scope);

    default @Nullable Object[] evaluateAll(LuaScope scope) {
        return LuaLibrary.one(evaluate(scope));
    }
}
