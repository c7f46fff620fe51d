package dev.holdfast.lock.test.lua;

import org.jspecify.annotations.Nullable;

/** The variables of one run of a block. The variables of surrounding blocks are in the outer scope. */
final class LuaScope {

    private final @Nullable Object[] values;
    private final @Nullable LuaScope outer;

    LuaScope(int size, @Nullable LuaScope outer) {
        this.values = new Object[size];
        this.outer = outer;
    }

    @Nullable
    Object get(int depth, int index) {
        return at(depth).values[index];
    }

    void set(int depth, int index, @Nullable Object value) {
        at(depth).values[index] = value;
    }

    private LuaScope at(int depth) {
        LuaScope scope = this;
        for (int i = depth; i > 0; i--) {
            LuaScope next = scope.outer;
            if (next == null) {
                throw new LuaException("no such scope");
            }
            scope = next;
        }
        return scope;
    }
}
