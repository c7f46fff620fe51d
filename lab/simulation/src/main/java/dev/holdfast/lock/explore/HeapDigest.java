package dev.holdfast.lock.explore;

import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.protocol.OwnerId;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A number for objects and everything that they refer to, so that two situations with the same number have the same future. It reads the fields of
 * the product's own objects, so no list says what belongs to a client's state, and nothing of it is left out unless {@link #LEFT_OUT} says so.
 *
 * <p>Three things differ between situations that have the same future, and are not counted as they are. Times count by their distance from now. Owner
 * ids count by the order in which they are met, and clients by the given order. Numbers drawn for tokens count by their rank.
 */
final class HeapDigest {

    /**
     * The number of the process clock when a situation begins. A number near it is a time. It is the server's time, because both are compared with
     * it.
     */
    static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(Server.START.getEpochSecond());

    /** The first part of each owner id: this text, a letter for the client, and filler. */
    static final String CLIENT = "client";

    static final int CLIENT_LENGTH = 22;

    /** Returns the letter of the client in an owner id. */
    static String clientOf(String owner) {
        return owner.substring(CLIENT.length(), CLIENT.length() + 1);
    }

    private static final long SPAN_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long FAR_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Types whose objects do not change, or change nothing that the client does. */
    private static final Set<String> LEFT_OUT_TYPES = Set.of(
            "dev.holdfast.lock.internal.engine.ClientSettings",
            "dev.holdfast.lock.internal.event.Counters",
            "dev.holdfast.lock.internal.event.EventPublisher",
            "dev.holdfast.lock.internal.inspect.ClientNames",
            "dev.holdfast.lock.internal.background.PauseDetector",
            "dev.holdfast.lock.internal.connection.Script",
            "dev.holdfast.lock.internal.connection.KeySlots",
            "dev.holdfast.lock.internal.connection.ConnectionSettings",
            "dev.holdfast.lock.internal.protocol.LockKeys",
            "dev.holdfast.lock.internal.protocol.LockProtocol",
            "dev.holdfast.lock.internal.inspect.LockInspector",
            "dev.holdfast.lock.internal.engine.Records",
            "dev.holdfast.lock.redis.MultiLocks",
            "java.util.concurrent.Semaphore",
            "dev.holdfast.lock.explore.Scenario$Client",
            "dev.holdfast.lock.explore.Situation",
            "dev.holdfast.lock.explore.Server");

    private static final int DEPTH_FOR_ORDER = 3;

    private record Layout(int id, List<Field> fields) {}

    private static final AtomicInteger TYPES = new AtomicInteger();
    private static final Field HEAP = field(Timer.class, "heap");
    /** Fields that do not affect the future: counters that are compared only for equality, the heap, which is read in order, and names of clients. */
    private static final Set<Field> LEFT_OUT = Set.of(
            field(OwnerId.Source.class, "grants"),
            field(Timer.class, "planned"),
            HEAP,
            field(ClientProcess.class, "letter"),
            field(ClientProcess.class, "name"),
            field(Caller.class, "name"));

    private static final Field AT = field(Timer.Timeout.class, "at");
    private static final Field NUMBER = field(Timer.Timeout.class, "number");
    private static final Field TASK = field(Timer.Timeout.class, "task");

    private static final Map<Class<?>, Layout> LAYOUTS = new ConcurrentHashMap<>();

    private static Layout layout(Class<?> type) {
        Layout known = LAYOUTS.get(type);
        return known == null ? LAYOUTS.computeIfAbsent(type, HeapDigest::read) : known;
    }

    private static Layout read(Class<?> type) {
        boolean leftOut = LEFT_OUT_TYPES.contains(type.getName())
                || type == Class.class
                || Thread.class.isAssignableFrom(type)
                || System.Logger.class.isAssignableFrom(type)
                || Throwable.class.isAssignableFrom(type)
                || ThreadLocal.class.isAssignableFrom(type);
        boolean ofJava = type.getName().startsWith("java.") && !type.getName().contains("CompletableFuture");
        // A lambda that Java itself returns, such as Function.identity(), has no fields.
        if (ofJava && !leftOut && !type.isArray() && !type.isHidden() && type != Object.class) {
            throw new IllegalStateException("The digest does not know how to read " + type);
        }
        List<Field> fields = new ArrayList<>();
        for (Class<?> now = type; now != null && now != Object.class && !leftOut; now = now.getSuperclass()) {
            for (Field field : now.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !LEFT_OUT.contains(field)) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return new Layout(TYPES.incrementAndGet(), List.copyOf(fields));
    }

    static {
        for (String type : LEFT_OUT_TYPES) {
            try {
                Class.forName(type, false, HeapDigest.class.getClassLoader());
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException("LEFT_OUT_TYPES names a type that is not there: " + type, e);
            }
        }
    }

    /** Returns whether nothing of this type is counted. */
    static boolean isLeftOut(Class<?> type) {
        return LEFT_OUT_TYPES.contains(type.getName());
    }

    /** Returns whether this field is not counted. */
    static boolean isLeftOut(Field field) {
        return LEFT_OUT.contains(field) || field.equals(NUMBER);
    }

    private static Field field(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    private final int[] order;
    private final long nanosNow;
    private final long microsNow;
    private final IdentityHashMap<Object, Integer> met = new IdentityHashMap<>(400);
    private final Map<String, Integer> owners = new HashMap<>();

    private long[] out = new long[1024];
    private int size;
    /** The positions in the output that hold a drawn number, which its rank replaces. */
    private int[] drawnAt = new int[64];

    private int drawn;
    private @Nullable HeapDigest scratch;

    /**
     * Creates an empty digest.
     *
     * @param order the position of each client, by its letter
     * @param nanosNow the present time of the processes
     * @param microsNow the present time of the server
     */
    HeapDigest(int[] order, long nanosNow, long microsNow) {
        this.order = order;
        this.nanosNow = nanosNow;
        this.microsNow = microsNow;
    }

    private void put(long value) {
        if (size == out.length) {
            out = Arrays.copyOf(out, 2 * size);
        }
        out[size++] = value;
    }

    private void putDrawn(long number) {
        if (drawn == drawnAt.length) {
            drawnAt = Arrays.copyOf(drawnAt, 2 * drawn);
        }
        drawnAt[drawn++] = size;
        put(number);
    }

    void add(long value) {
        if (Math.abs(value - FIRST_NANOS) < SPAN_NANOS) {
            put(-1);
            put(near(value - nanosNow));
        } else if (value > 1_600_000_000_000L && value < 2_000_000_000_000L) {
            put(-2);
            put(near(TimeUnit.MILLISECONDS.toNanos(value - microsNow / 1000)));
        } else if (value > 1_600_000_000_000_000L && value < 2_000_000_000_000_000L) {
            put(-3);
            putDrawn(value);
        } else if (value > 1_600_000_000_000_000_000L && value < 2_050_000_000_000_000_000L) {
            put(-4);
            putDrawn(value >> 10);
            put(value & 1023);
        } else {
            put(value);
        }
    }

    private static long near(long nanos) {
        return Math.max(-FAR_NANOS, Math.min(FAR_NANOS, nanos));
    }

    void add(@Nullable Object value) {
        try {
            visit(value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private void visit(@Nullable Object value) throws IllegalAccessException {
        if (value == null) {
            put(-5);
        } else if (value instanceof String text) {
            text(text);
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof Boolean yes) {
            put(yes ? 1 : 0);
        } else if (value instanceof Character letter) {
            put(letter);
        } else if (value instanceof Enum<?> constant) {
            put(constant.name().hashCode());
        } else if (value instanceof Duration duration) {
            put(duration.toNanos());
        } else if (value instanceof Throwable thrown) {
            put(layout(thrown.getClass()).id);
        } else if (value instanceof AtomicReference<?> reference) {
            visit(reference.get());
        } else if (value instanceof AtomicBoolean flag) {
            put(flag.get() ? 1 : 0);
        } else if (value instanceof AtomicIntegerArray numbers) {
            for (int i = 0; i < numbers.length(); i++) {
                if (numbers.get(i) != 0) {
                    put(i);
                    put(numbers.get(i));
                }
            }
        } else if (value instanceof Optional<?> optional) {
            visit(optional.orElse(null));
        } else {
            object(value);
        }
    }

    private void number(Number number) {
        if (number instanceof Double real) {
            double whole = Math.floor(real);
            add((long) whole);
            put(Double.doubleToLongBits(real - whole));
        } else if (number instanceof Float real) {
            put(Float.floatToIntBits(real));
        } else if (number instanceof AtomicLong || number instanceof Long || number instanceof AtomicInteger) {
            add(number.longValue());
        } else {
            put(number.longValue());
        }
    }

    private void object(Object value) throws IllegalAccessException {
        Integer before = met.putIfAbsent(value, met.size());
        if (before != null) {
            put(-6);
            put(before);
        } else if (value instanceof Map<?, ?> map) {
            put(map.size());
            for (Map.Entry<?, ?> entry : inOrder(
                    map.entrySet(),
                    map instanceof LinkedHashMap || map instanceof SortedMap || map instanceof EnumMap)) {
                visit(entry.getKey());
                visit(entry.getValue());
            }
        } else if (value instanceof Collection<?> elements) {
            put(elements.size());
            boolean ordered = !(elements instanceof Set) || elements instanceof LinkedHashSet;
            for (Object element : inOrder(elements, ordered)) {
                visit(element);
            }
        } else if (value.getClass().isArray()) {
            put(Array.getLength(value));
            for (int i = 0; i < Array.getLength(value); i++) {
                visit(Array.get(value, i));
            }
        } else {
            Layout layout = layout(value.getClass());
            put(layout.id);
            if (value instanceof Timer) {
                for (Object timeout : timeouts(value)) {
                    put(near(AT.getLong(timeout) - nanosNow));
                    visit(TASK.get(timeout));
                }
            }
            if (value instanceof Timer.Timeout) {
                put(near(AT.getLong(value) - nanosNow));
                return;
            }
            for (Field field : layout.fields) {
                field(field, value);
            }
        }
    }

    private void field(Field field, Object owner) throws IllegalAccessException {
        Class<?> type = field.getType();
        if (!type.isPrimitive()) {
            visit(field.get(owner));
        } else if (type == long.class) {
            add(field.getLong(owner));
        } else if (type == int.class) {
            put(field.getInt(owner));
        } else if (type == boolean.class) {
            put(field.getBoolean(owner) ? 1 : 0);
        } else {
            visit(field.get(owner));
        }
    }

    /** Returns the tasks of a timer in the order in which they are due. The order of its heap depends on tasks that are gone. */
    private static List<Object> timeouts(Object timer) throws IllegalAccessException {
        List<Object> timeouts = new ArrayList<>();
        for (Object timeout : (Object[]) HEAP.get(timer)) {
            if (timeout != null) {
                timeouts.add(timeout);
            }
        }
        timeouts.sort(Comparator.comparingLong((Object timeout) -> read(AT, timeout))
                .thenComparingLong(timeout -> read(NUMBER, timeout)));
        return timeouts;
    }

    private static long read(Field field, Object owner) {
        try {
            return field.getLong(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns elements in an order that does not depend on hash codes of objects. */
    private <T> Collection<T> inOrder(Collection<T> elements, boolean ordered) {
        if (ordered || elements.size() < 2) {
            return elements;
        }
        List<T> sorted = new ArrayList<>(elements);
        IdentityHashMap<T, Long> keys = new IdentityHashMap<>();
        sorted.forEach(element -> keys.put(element, orderKey(element, DEPTH_FOR_ORDER)));
        sorted.sort(Comparator.comparingLong(keys::get));
        return sorted;
    }

    private long orderKey(@Nullable Object value, int depth) {
        if (value == null || depth == 0) {
            return value == null ? 0 : 1;
        }
        if (value instanceof Map.Entry<?, ?> entry) {
            return 31 * orderKey(entry.getKey(), depth) + orderKey(entry.getValue(), depth);
        }
        if (value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof Enum) {
            HeapDigest plain = plain();
            plain.add(value);
            return plain.value();
        }
        if (value.getClass().getName().startsWith("java.") || value.getClass().isArray()) {
            return value.getClass().getName().hashCode();
        }
        Layout layout = layout(value.getClass());
        long key = layout.id;
        for (Field field : layout.fields) {
            try {
                key = 31 * key + orderKey(field.get(value), depth - 1);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
        return key;
    }

    /** Returns an empty digest for one plain value. */
    private HeapDigest plain() {
        HeapDigest cleared = scratch == null ? new HeapDigest(order, nanosNow, microsNow) : scratch;
        scratch = cleared;
        cleared.size = 0;
        cleared.drawn = 0;
        cleared.owners.clear();
        return cleared;
    }

    /** Adds a text. Owner ids and long numbers in it count as what they stand for. */
    private void text(String text) {
        long hash = 7;
        int end = text.length();
        for (int i = 0; i < end; ) {
            char letter = text.charAt(i);
            if (letter == 'c' && text.startsWith(CLIENT, i) && i + CLIENT_LENGTH <= end) {
                int client = text.charAt(i + CLIENT.length()) - 'A';
                i += CLIENT_LENGTH;
                hash = 31 * hash + 1_000_003L * (order[client] + 1);
                int from = i;
                int colons = 0;
                while (i < end && (text.charAt(i) == ':' ? ++colons < 3 : isDigit(text.charAt(i)))) {
                    i++;
                }
                if (colons >= 2) {
                    String grant = client + text.substring(from, i);
                    Integer number = owners.putIfAbsent(grant, owners.size());
                    hash = 31 * hash + 7L * (number == null ? owners.size() - 1 : number) + 3;
                }
            } else if (isDigit(letter)) {
                int from = i;
                while (i < end && isDigit(text.charAt(i))) {
                    i++;
                }
                if (i - from >= 13 && i - from <= 19) {
                    add(Long.parseLong(text.substring(from, i)));
                    hash = 31 * hash + 11;
                } else {
                    for (int digit = from; digit < i; digit++) {
                        hash = 31 * hash + text.charAt(digit);
                    }
                }
            } else {
                hash = 31 * hash + letter;
                i++;
            }
        }
        put(hash);
    }

    /** Returns a text in which the position of a client takes the place of its letter. */
    String inOrder(String text) {
        int at = text.indexOf(CLIENT);
        if (at < 0) {
            return text;
        }
        int letter = at + CLIENT.length();
        return text.substring(0, letter) + order[text.charAt(letter) - 'A'] + text.substring(letter + 1);
    }

    private static boolean isDigit(char letter) {
        return letter >= '0' && letter <= '9';
    }

    /** Returns the number. Nothing can be added afterward. */
    long value() {
        long[] ranks = new long[drawn + 1];
        for (int i = 0; i < drawn; i++) {
            ranks[i] = out[drawnAt[i]];
        }
        ranks[drawn] = microsNow;
        Arrays.sort(ranks);
        int distinct = 0;
        for (int i = 0; i < ranks.length; i++) {
            if (i == 0 || ranks[i] != ranks[i - 1]) {
                ranks[distinct++] = ranks[i];
            }
        }
        for (int i = 0; i < drawn; i++) {
            out[drawnAt[i]] = Arrays.binarySearch(ranks, 0, distinct, out[drawnAt[i]]);
        }
        put(Arrays.binarySearch(ranks, 0, distinct, microsNow));
        long hash = size;
        for (int i = 0; i < size; i++) {
            hash = (hash ^ (out[i] * 0x9E3779B97F4A7C15L)) * 0xBF58476D1CE4E5B9L;
            hash ^= hash >>> 29;
        }
        hash *= 0x94D049BB133111EBL;
        return hash ^ (hash >>> 32);
    }
}
