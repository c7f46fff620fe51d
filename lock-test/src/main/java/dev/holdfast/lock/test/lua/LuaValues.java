package dev.holdfast.lock.test.lua;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Conversions and comparisons of values. */
final class LuaValues {

    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
    private static final Pattern HEXADECIMAL = Pattern.compile("([+-]?)0[xX]([0-9a-fA-F]+)");

    private static final int MOST_DIGITS = 16;
    private static final double SHORT = 1e15;

    private LuaValues() {}

    static boolean isTrue(@Nullable Object value) {
        return value != null && !Boolean.FALSE.equals(value);
    }

    static boolean isEqual(@Nullable Object left, @Nullable Object right) {
        return Objects.equals(left, right);
    }

    /** Returns a number, which may be given as text; null if the value is not a number. */
    static @Nullable Double toNumber(@Nullable Object value) {
        if (value instanceof Double number) {
            return number;
        }
        return value instanceof String text ? parsed(text.strip()) : null;
    }

    /** Parses a number. Lua and Java accept different texts: "1d" is a number only in Java, and "0x10" only in Lua. */
    private static @Nullable Double parsed(String text) {
        if (isShortDecimal(text)) {
            return (double) Long.parseLong(text);
        }
        Matcher hexadecimal = HEXADECIMAL.matcher(text);
        if (hexadecimal.matches()) {
            double number = new BigInteger(hexadecimal.group(2), 16).doubleValue();
            return hexadecimal.group(1).equals("-") ? -number : number;
        }
        return DECIMAL.matcher(text).matches() ? (Double) Double.parseDouble(text) : null;
    }

    private static boolean isShortDecimal(String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return false;
            }
        }
        return length > 0 && length < MOST_DIGITS;
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

    /** Returns the number as Lua writes it, except that Lua would round to fourteen digits. */
    static String decimal(double number) {
        if (isShort(number)) {
            return Long.toString((long) number);
        }
        return number == Math.rint(number) ? new BigDecimal(number).toPlainString() : Double.toString(number);
    }

    /** Returns whether the number is whole, and exact as a long. */
    static boolean isShort(double number) {
        return number == Math.rint(number) && Math.abs(number) < SHORT;
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
