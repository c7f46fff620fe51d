package dev.holdfast.lock.test.lua;

import java.util.List;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;

/** The operators of expressions. */
final class LuaOperators {

    private LuaOperators() {}

    static LuaExpression binary(String operator, LuaExpression left, LuaExpression right) {
        return switch (operator) {
            case "or" ->
                scope -> {
                    Object value = left.evaluate(scope);
                    return LuaValues.isTrue(value) ? value : right.evaluate(scope);
                };
            case "and" ->
                scope -> {
                    Object value = left.evaluate(scope);
                    return LuaValues.isTrue(value) ? right.evaluate(scope) : value;
                };
            case "==" -> scope -> LuaValues.isEqual(left.evaluate(scope), right.evaluate(scope));
            case "~=" -> scope -> !LuaValues.isEqual(left.evaluate(scope), right.evaluate(scope));
            case "<" -> scope -> LuaValues.isLess(left.evaluate(scope), right.evaluate(scope));
            case ">" -> scope -> LuaValues.isLess(right.evaluate(scope), left.evaluate(scope));
            case "<=" -> scope -> !LuaValues.isLess(right.evaluate(scope), left.evaluate(scope));
            case ">=" -> scope -> !LuaValues.isLess(left.evaluate(scope), right.evaluate(scope));
            case ".." -> scope -> LuaValues.text(left.evaluate(scope)) + LuaValues.text(right.evaluate(scope));
            default -> calculation(calculator(operator), left, right);
        };
    }

    private static LuaExpression calculation(DoubleBinaryOperator calculator, LuaExpression left, LuaExpression right) {
        return scope -> calculator.applyAsDouble(
                LuaValues.number(left.evaluate(scope)), LuaValues.number(right.evaluate(scope)));
    }

    private static DoubleBinaryOperator calculator(String operator) {
        return switch (operator) {
            case "+" -> (left, right) -> left + right;
            case "-" -> (left, right) -> left - right;
            case "*" -> (left, right) -> left * right;
            case "/" -> (left, right) -> left / right;
            case "%" -> (left, right) -> left - Math.floor(left / right) * right;
            default -> throw new LuaException("no operator " + operator);
        };
    }

    static LuaExpression length(LuaExpression of) {
        return scope -> {
            Object value = of.evaluate(scope);
            return (double)
                    (value instanceof String text
                            ? text.length()
                            : LuaValues.table(value).length());
        };
    }

    /** Returns the values of a list: the first value of each expression, but all values of the last. */
    static @Nullable Object[] values(List<LuaExpression> expressions, LuaScope scope) {
        int last = expressions.size() - 1;
        boolean isCall = last >= 0 && expressions.get(last) instanceof LuaCall;
        @Nullable Object[] values = new Object[isCall ? last : last + 1];
        for (int i = 0; i < values.length; i++) {
            values[i] = expressions.get(i).evaluate(scope);
        }
        if (!isCall) {
            return values;
        }
        @Nullable Object[] ofLast = expressions.get(last).evaluateAll(scope);
        if (last == 0) {
            return ofLast;
        }
        @Nullable Object[] all = new Object[last + ofLast.length];
        System.arraycopy(values, 0, all, 0, last);
        System.arraycopy(ofLast, 0, all, last, ofLast.length);
        return all;
    }
}
