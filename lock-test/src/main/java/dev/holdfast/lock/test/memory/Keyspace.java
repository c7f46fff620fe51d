package dev.holdfast.lock.test.memory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The keys, their values, and the times at which they expire. Used by one thread at a time. */
final class Keyspace {

    private static final long NEVER = Long.MAX_VALUE;

    private static final class Entry {
        final Object value;
        long endMillis = NEVER;

        Entry(Object value) {
            this.value = value;
        }

        Entry copy() {
            Entry copy = new Entry(value instanceof Copied<?> own ? own.copy() : copied(value));
            copy.endMillis = endMillis;
            return copy;
        }

        private static Object copied(Object value) {
            if (value instanceof LinkedHashMap<?, ?> hash) {
                return new LinkedHashMap<>(hash);
            }
            return value instanceof ArrayList<?> list ? new ArrayList<>(list) : value;
        }
    }

    /** A value that can copy itself. */
    interface Copied<T> {
        T copy();
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final LongSupplier millis;

    Keyspace(LongSupplier millis) {
        this.millis = millis;
    }

    private @Nullable Entry entry(String key) {
        Entry entry = entries.get(key);
        // As in Redis, a key still exists in the millisecond in which it expires.
        if (entry != null && entry.endMillis < millis.getAsLong()) {
            entries.remove(key);
            return null;
        }
        return entry;
    }

    /** Returns the value of a key, or null. Fails if the value has another type. */
    <T> @Nullable T find(String key, Class<T> type) {
        Entry entry = entry(key);
        if (entry == null) {
            return null;
        }
        if (!type.isInstance(entry.value)) {
            throw new CommandException("WRONGTYPE Operation against a key holding the wrong kind of value");
        }
        return type.cast(entry.value);
    }

    <T> T findOrCreate(String key, Class<T> type, Supplier<T> create) {
        T found = find(key, type);
        if (found == null) {
            found = create.get();
            entries.put(key, new Entry(found));
        }
        return found;
    }

    /** Writes a value that does not expire. */
    void put(String key, Object value) {
        entries.put(key, new Entry(value));
    }

    boolean remove(String key) {
        boolean was = entry(key) != null;
        entries.remove(key);
        return was;
    }

    boolean isA(String key, Class<?> type) {
        Entry entry = entry(key);
        return entry != null && type.isInstance(entry.value);
    }

    boolean exists(String key) {
        return entry(key) != null;
    }

    /** Returns the time to live of a key in milliseconds: -2 if there is no such key, -1 if it does not expire. */
    long millisLeft(String key) {
        Entry entry = entry(key);
        if (entry == null) {
            return -2;
        }
        return entry.endMillis == NEVER ? -1 : entry.endMillis - millis.getAsLong();
    }

    boolean expire(String key, long inMillis) {
        Entry entry = entry(key);
        if (entry != null && inMillis <= 0) {
            entries.remove(key);
        } else if (entry != null) {
            entry.endMillis = millis.getAsLong() + inMillis;
        }
        return entry != null;
    }

    /** Returns a copy of all entries, which no later command changes. */
    Map<String, Object> copy() {
        Map<String, Object> copy = new LinkedHashMap<>();
        entries.forEach((key, entry) -> copy.put(key, entry.copy()));
        return copy;
    }

    /** Replaces all entries by a copy. */
    void restore(Map<String, Object> copy) {
        entries.clear();
        copy.forEach((key, entry) -> entries.put(key, ((Entry) entry).copy()));
    }

    /** Shows all entries to a viewer. */
    void view(MemoryRedis.Viewer viewer) {
        keys().forEach(key -> {
            Entry entry = entries.get(key);
            if (entry != null) {
                viewer.view(key, entry.value, millisLeft(key));
            }
        });
    }

    List<String> keys() {
        List<String> keys = new ArrayList<>(entries.keySet());
        keys.removeIf(key -> entry(key) == null);
        return keys;
    }

    void removeIf(Predicate<String> which) {
        entries.keySet().removeIf(which);
    }
}
