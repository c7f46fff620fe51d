package dev.holdfast.lock.test.lua;

import java.math.BigDecimal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What operators do with values. */
final class LuaValues {

    private LuaValues() {}

    static boolean isTrue(@Nullable Object value) {
        return value != null && !Boolean.FALSE.equals(value);
    }

    static boolean isEqual(@Nullable Object left, @Nullable Object right) {
        return Objects.equals(left, right);
    }

    /** A number, also one that is written as text; null if it is none. */
    static @Nullable Double toNumber(@Nullable Object value) {
        if (value instanceof Double number) {
            return number;
        }
        try {
            return value instanceof String text ? (Double) Double.parseDouble(text.strip()) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    static double number(@Nullable Object value) {
        Double number = toNumber(value);
        if (number == null) {
            throw new LuaException("a number was needed, not " + value);
        }
        return number;
    }

    static String text(@Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof Double number) {
            return decimal(number);
        }
        throw new LuaException("a text was needed, not " + value);
    }

    /** As Lua writes it, except that Lua would round to fourteen digits. */
    static String decimal(double number) {
        return number == Math.rint(number) ? new BigDecimal(number).toPlainString() : Double.toString(number);
    }

    static boolean isLess(@Nullable Object left, @Nullable Object right) {
        if (left instanceof Double a && right instanceof Double b) {
            return a < b;
        }
        if (left instanceof String a && right instanceof String b) {
            return a.compareTo(b) < 0;
        }
        throw new LuaException("cannot compare " + left + " with " + right);
    }

    static LuaTable table(@Nullable Object value) {
        if (value instanceof LuaTable table) {
            return table;
        }
        throw new LuaException("a table was needed, not " + value);
    }
}
