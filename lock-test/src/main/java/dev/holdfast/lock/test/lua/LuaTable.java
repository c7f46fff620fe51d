package dev.holdfast.lock.test.lua;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table. Like Lua's own tables, it has a list for the keys 1, 2 and so on, and a hash for all other keys. Both keep their order, so that a script
 * does the same each time it runs.
 */
public final class LuaTable {

    private final List<@Nullable Object> list;
    private @Nullable Map<Object, Object> hash;

    /** Creates a table without entries. */
    public LuaTable() {
        this(new ArrayList<>());
    }

    private LuaTable(List<@Nullable Object> list) {
        this.list = list;
    }

    /** Creates a list, whose elements have the keys 1, 2 and so on. */
    public static LuaTable of(List<?> elements) {
        return new LuaTable(new ArrayList<>(elements));
    }

    /** Returns a string as it is, and a number as text. */
    public static String text(@Nullable Object value) {
        return LuaValues.text(value);
    }

    public @Nullable Object get(@Nullable Object key) {
        int index = index(key);
        if (index >= 0 && index < list.size()) {
            return list.get(index);
        }
        return key == null || hash == null ? null : hash.get(key);
    }

    public void put(@Nullable Object key, @Nullable Object value) {
        if (key == null) {
            throw new LuaException("table index is nil");
        }
        int index = index(key);
        if (index >= 0 && index < list.size()) {
            list.set(index, value);
            while (!list.isEmpty() && list.get(list.size() - 1) == null) {
                list.remove(list.size() - 1);
            }
        } else if (index == list.size() && value != null) {
            append(value);
        } else {
            putHash(key, value);
        }
    }

    /** Appends an element to the list, and moves the elements that follow it from the hash to the list. */
    private void append(Object value) {
        list.add(value);
        for (Object next = value; next != null && hash != null; ) {
            next = hash.remove((double) (list.size() + 1));
            if (next != null) {
                list.add(next);
            }
        }
    }

    private void putHash(Object key, @Nullable Object value) {
        if (hash == null) {
            hash = new LinkedHashMap<>();
        }
        if (value == null) {
            hash.remove(key);
        } else {
            hash.put(key, value);
        }
    }

    /** Returns the zero-based list index of a key, or a negative value if the key cannot be in the list. */
    private static int index(@Nullable Object key) {
        if (key instanceof Double number) {
            int whole = number.intValue();
            return whole == number ? whole - 1 : -1;
        }
        return -1;
    }

    /** Returns the number of elements in the list. */
    public int length() {
        return list.size();
    }

    /** Returns the current entries, those of the list first. */
    List<Map.Entry<Object, Object>> entries() {
        List<Map.Entry<Object, Object>> entries = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            Object value = list.get(i);
            if (value != null) {
                entries.add(Map.entry(i + 1.0, value));
            }
        }
        if (hash != null) {
            entries.addAll(hash.entrySet());
        }
        return entries;
    }
}
