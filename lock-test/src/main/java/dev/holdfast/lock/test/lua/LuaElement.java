package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.Nullable;

/** An element of a table. */
record LuaElement(LuaExpression table, LuaExpression key) implements LuaExpression {

    @Override
    public @Nullable Object evaluate(LuaScope scope) {
        return LuaValues.table(table.evaluate(scope)).get(key.evaluate(scope));
    }

    void set(LuaScope scope, @Nullable Object value) {
        LuaValues.table(table.evaluate(scope)).put(key.evaluate(scope), value);
    }
}
