package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a call that was left out returns: nothing, in the shape that the method's callers expect. Made anew for each call, since a caller may
 * add to the collection that it got.
 */
final class EmptyResults {

    /** The first that fits a method's type is taken. */
    private static final List<Supplier<@Nullable Object>> SHAPES = List.of(
            Optional::empty,
            OptionalInt::empty,
            OptionalLong::empty,
            OptionalDouble::empty,
            Stream::empty,
            IntStream::empty,
            LongStream::empty,
            DoubleStream::empty,
            ArrayList::new,
            LinkedHashSet::new,
            TreeSet::new,
            ArrayDeque::new,
            LinkedHashMap::new,
            TreeMap::new,
            ConcurrentHashMap::new);

    private EmptyResults() {}

    /** Makes the empty results of a type; of a type without an emptiness of its own that is null. */
    static Supplier<@Nullable Object> of(Class<?> type) {
        if (type.isArray()) {
            return () -> Array.newInstance(type.getComponentType(), 0);
        }
        if (isPlain(type)) {
            return () -> null;
        }
        for (Supplier<@Nullable Object> shape : SHAPES) {
            if (type.isInstance(shape.get())) {
                return shape;
            }
        }
        return () -> null;
    }

    /** Whether a call that was left out has something to return: no primitive value, and no collection that nobody here can make. */
    static boolean has(Class<?> type) {
        if (type.isPrimitive()) {
            return type == void.class;
        }
        return isPlain(type) || of(type).get() != null;
    }

    private static boolean isPlain(Class<?> type) {
        boolean holdsOthers = Iterable.class == type
                || Collection.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type)
                || type.getName().startsWith("java.util.Optional")
                || type.getName().startsWith("java.util.stream.");
        return !holdsOthers;
    }
}
