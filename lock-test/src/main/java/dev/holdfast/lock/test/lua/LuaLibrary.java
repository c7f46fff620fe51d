package dev.holdfast.lock.test.lua;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** The functions of Lua's library that the scripts use. */
final class LuaLibrary {

    private static final String THROWN = "thrown";

    private LuaLibrary() {}

    static Map<String, Object> functions() {
        Map<String, Object> functions = new LinkedHashMap<>();
        functions.put("tonumber", function(arguments -> one(LuaValues.toNumber(at(arguments, 0)))));
        functions.put("type", function(arguments -> one(type(at(arguments, 0)))));
        functions.put("ipairs", function(arguments -> one(elements(LuaValues.table(at(arguments, 0))))));
        functions.put("unpack", function(arguments -> unpack(LuaValues.table(at(arguments, 0)))));
        functions.put("pairs", function(arguments -> one(entries(LuaValues.table(at(arguments, 0))))));
        functions.put("pcall", function(LuaLibrary::guarded));
        functions.put("error", function(LuaLibrary::thrown));
        LuaTable math = new LuaTable();
        math.put("max", folding(Math::max));
        math.put("min", folding(Math::min));
        math.put("floor", function(arguments -> one(Math.floor(LuaValues.number(at(arguments, 0))))));
        functions.put("math", math);
        LuaTable string = new LuaTable();
        string.put("sub", function(LuaLibrary::sub));
        string.put("find", function(LuaLibrary::find));
        string.put("match", function(LuaLibrary::match));
        string.put("format", function(LuaLibrary::format));
        functions.put("string", string);
        return functions;
    }

    private static LuaFunction function(LuaFunction function) {
        return function;
    }

    static @Nullable Object at(@Nullable Object[] values, int index) {
        return index < values.length ? values[index] : null;
    }

    static @Nullable Object[] one(@Nullable Object value) {
        return new @Nullable Object[] {value};
    }

    private static String type(@Nullable Object value) {
        if (value == null) {
            return "nil";
        }
        return value instanceof LuaTable
                ? "table"
                : value instanceof Double ? "number" : value instanceof String ? "string" : "boolean";
    }

    private static LuaFunction folding(DoubleBinaryOperator operator) {
        return arguments -> {
            double result = LuaValues.number(at(arguments, 0));
            for (int i = 1; i < arguments.length; i++) {
                result = operator.applyAsDouble(result, LuaValues.number(arguments[i]));
            }
            return one(result);
        };
    }

    /** Implements {@code pcall}. The error of a command is a table, as in Redis 7. */
    private static @Nullable Object[] guarded(@Nullable Object[] arguments) {
        if (!(at(arguments, 0) instanceof LuaFunction called)) {
            throw new LuaException("pcall calls functions, not " + at(arguments, 0));
        }
        try {
            @Nullable Object[] values = called.call(Arrays.copyOfRange(arguments, 1, arguments.length));
            @Nullable Object[] results = new @Nullable Object[values.length + 1];
            results[0] = true;
            System.arraycopy(values, 0, results, 1, values.length);
            return results;
        } catch (RuntimeException failure) {
            LuaTable error = new LuaTable();
            error.put("err", String.valueOf(failure.getMessage()));
            error.put(THROWN, failure);
            return new @Nullable Object[] {false, error};
        }
    }

    private static @Nullable Object[] thrown(@Nullable Object[] arguments) {
        if (at(arguments, 0) instanceof LuaTable error && error.get(THROWN) instanceof RuntimeException failure) {
            throw failure;
        }
        throw new LuaException(String.valueOf(at(arguments, 0)));
    }

    private static LuaFunction elements(LuaTable table) {
        int[] index = new int[1];
        return ignored -> {
            double next = ++index[0];
            Object value = table.get(next);
            return value == null ? one(null) : new @Nullable Object[] {next, value};
        };
    }

    private static @Nullable Object[] unpack(LuaTable table) {
        @Nullable Object[] values = new @Nullable Object[table.length()];
        for (int i = 0; i < values.length; i++) {
            values[i] = table.get(i + 1.0);
        }
        return values;
    }

    private static LuaFunction entries(LuaTable table) {
        Iterator<Map.Entry<Object, Object>> entries = table.entries().iterator();
        return ignored -> {
            if (!entries.hasNext()) {
                return one(null);
            }
            Map.Entry<Object, Object> entry = entries.next();
            return new @Nullable Object[] {entry.getKey(), entry.getValue()};
        };
    }

    private static @Nullable Object[] sub(@Nullable Object[] arguments) {
        String text = LuaValues.text(at(arguments, 0));
        int length = text.length();
        int from = (int) LuaValues.number(at(arguments, 1));
        int to = arguments.length > 2 ? (int) LuaValues.number(arguments[2]) : -1;
        from = Math.max(1, from < 0 ? length + from + 1 : from);
        to = Math.min(length, to < 0 ? length + to + 1 : to);
        return one(from > to ? "" : text.substring(from - 1, to));
    }

    private static @Nullable Object[] find(@Nullable Object[] arguments) {
        String text = LuaValues.text(at(arguments, 0));
        String pattern = LuaValues.text(at(arguments, 1));
        int from = at(arguments, 2) == null ? 0 : (int) LuaValues.number(arguments[2]) - 1;
        if (LuaValues.isTrue(at(arguments, 3))) {
            int found = text.indexOf(pattern, from);
            return found < 0 ? one(null) : new @Nullable Object[] {found + 1.0, (double) found + pattern.length()};
        }
        Matcher found = LuaPatterns.compile(pattern).matcher(text);
        return found.find(from) ? new @Nullable Object[] {found.start() + 1.0, (double) found.end()} : one(null);
    }

    private static @Nullable Object[] match(@Nullable Object[] arguments) {
        String text = LuaValues.text(at(arguments, 0));
        Matcher found = LuaPatterns.compile(LuaValues.text(at(arguments, 1))).matcher(text);
        if (!found.find()) {
            return one(null);
        }
        if (found.groupCount() == 0) {
            return one(found.group());
        }
        List<@Nullable Object> captures = new ArrayList<>();
        for (int i = 1; i <= found.groupCount(); i++) {
            captures.add(found.group(i));
        }
        return captures.toArray();
    }

    private static @Nullable Object[] format(@Nullable Object[] arguments) {
        Object format = at(arguments, 0);
        if (!"%.0f".equals(format) && !"%.2f".equals(format)) {
            throw new LuaException("string.format is only there for '%.0f' and '%.2f', not for " + format);
        }
        // The text must be exact, as with printf. valueOf() would return the shortest text that reads as the same
        // number.
        double number = LuaValues.number(at(arguments, 1));
        if ("%.0f".equals(format) && LuaValues.isShort(number)) {
            return one(Long.toString((long) number));
        }
        return one(new BigDecimal(number)
                .setScale("%.0f".equals(format) ? 0 : 2, RoundingMode.HALF_EVEN)
                .toPlainString());
    }
}
