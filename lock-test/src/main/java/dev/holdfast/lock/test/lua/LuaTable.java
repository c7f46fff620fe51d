package dev.holdfast.lock.test.lua;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A table. Keeps the order of insertion, so that a script does the same each time it runs. */
public final class LuaTable {

    private final Map<Object, Object> entries = new LinkedHashMap<>();
    private int length;

    /** A list: its elements have the keys 1, 2 and so on. */
    public static LuaTable of(List<?> elements) {
        LuaTable table = new LuaTable();
        for (int i = 0; i < elements.size(); i++) {
            table.put((double) (i + 1), elements.get(i));
        }
        return table;
    }

    /** A text, or a number as text. */
    public static String text(@Nullable Object value) {
        return LuaValues.text(value);
    }

    public @Nullable Object get(@Nullable Object key) {
        return key == null ? null : entries.get(key);
    }

    public void put(@Nullable Object key, @Nullable Object value) {
        if (key == null) {
            throw new LuaException("table index is nil");
        }
        if (value == null) {
            entries.remove(key);
        } else {
            entries.put(key, value);
        }
        // The next and the last element may both have changed.
        while (entries.containsKey((double) (length + 1))) {
            length++;
        }
        while (length > 0 && !entries.containsKey((double) length)) {
            length--;
        }
    }

    /** How many elements the list in it has. */
    public int length() {
        return length;
    }

    Map<Object, Object> entries() {
        return entries;
    }
}
