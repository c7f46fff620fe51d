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

/** What a skipped call returns: null or an empty value. Each call receives a new one: the caller may add to a collection. */
final class EmptyResults {

    /** The first that is an instance of the type applies. */
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

    /** Creates the empty values of a type. They are null for a type without an empty value. */
    static Supplier<@Nullable Object> of(Class<?> type) {
        if (type.isArray()) {
            return () -> Array.newInstance(type.getComponentType(), 0);
        }
        return SHAPES.stream()
                .filter(shape -> !isPlain(type) && type.isInstance(shape.get()))
                .findFirst()
                .orElse(() -> null);
    }

    /** Whether a skipped call has something to return. False for primitive types and for collections that this class cannot create. */
    static boolean has(Class<?> type) {
        return type.isPrimitive() ? type == void.class : isPlain(type) || of(type).get() != null;
    }

    private static boolean isPlain(Class<?> type) {
        return type != Iterable.class
                && !Collection.class.isAssignableFrom(type)
                && !Map.class.isAssignableFrom(type)
                && !type.getName().matches("java\\.util\\.(Optional|stream\\.).*");
    }
}
