package dev.holdfast.lock.test.lua;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call. Its value is the first value that the function returns. At the end of a list, a call contributes all of its values. */
record LuaCall(LuaExpression function, List<LuaExpression> arguments) implements LuaExpression {

    @Override
    public @Nullable Object evaluate(LuaScope scope) {
        return LuaLibrary.at(evaluateAll(scope), 0);
    }

    @Override
    public @Nullable Object[] evaluateAll(LuaScope scope) {
        if (function.evaluate(scope) instanceof LuaFunction called) {
            return called.call(LuaOperators.values(arguments, scope));
        }
        throw new LuaException("attempt to call something that is no function");
    }
}
