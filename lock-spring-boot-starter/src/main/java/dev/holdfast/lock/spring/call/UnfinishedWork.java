package dev.holdfast.lock.spring.call;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Tells whether the work behind a result may be unfinished when the method returns. A lock that ends with the method would not protect such work.
 * Searches a declared type, and a value whose declared type does not describe it.
 */
enum UnfinishedWork {
    /** The value involves no further work. */
    NONE,
    /** The work has begun, and reports its end. */
    STAGE,
    /** The work begins or continues when another party asks for it. */
    LATER,
    /** The value contains other values, which can be read without side effects. */
    CONTAINER;

    /** The maximum depth of the search. It ends the search in types and values that contain themselves. */
    private static final int MAX_DEPTH = 8;

    private static final boolean WEB =
            ClassUtils.isPresent("org.springframework.http.HttpEntity", UnfinishedWork.class.getClassLoader());

    private static final List<Class<?>> LATER_TYPES = List.of(
            Future.class,
            Callable.class,
            Runnable.class,
            Supplier.class,
            BooleanSupplier.class,
            IntSupplier.class,
            LongSupplier.class,
            DoubleSupplier.class,
            Flow.Publisher.class);

    /** The names of types of optional libraries. */
    private static final Set<String> LATER_NAMES = Set.of(
            "org.reactivestreams.Publisher",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.function.RouterFunction",
            "org.springframework.web.servlet.function.ServerResponse",
            "org.springframework.web.reactive.function.server.RouterFunction",
            "org.springframework.web.reactive.function.server.ServerResponse",
            "kotlin.Function",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow");

    /** The result for each class. It is cached because values are examined during calls. */
    private static final ClassValue<UnfinishedWork> KNOWN = new ClassValue<>() {
        @Override
        protected UnfinishedWork computeValue(Class<?> type) {
            return classify(type);
        }
    };

    static UnfinishedWork of(Class<?> type) {
        return KNOWN.get(type);
    }

    boolean isUnfinished() {
        return this == STAGE || this == LATER;
    }

    private static UnfinishedWork classify(Class<?> type) {
        if (CompletionStage.class.isAssignableFrom(type)) {
            return STAGE;
        }
        if (isCode(type)
                || isNamed(type)
                // A resource may be read later, when its content may have changed.
                || (Resource.class.isAssignableFrom(type) && !ByteArrayResource.class.isAssignableFrom(type))
                || reactive(type) != null) {
            return LATER;
        }
        return isContainer(type) ? CONTAINER : NONE;
    }

    /**
     * Returns how Spring adapts a reactive type, or null. Its registry loads classes of all reactive libraries, which a method without a result does
     * not need.
     */
    static @Nullable ReactiveAdapter reactive(Class<?> type) {
        return type.isPrimitive()
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    /**
     * Returns whether others run the code of an instance when they please. A lambda is never data. Spring Data's pages, and the collections of other
     * languages, are functions too, and data in the first place.
     */
    private static boolean isCode(Class<?> type) {
        if (ClassUtils.isLambdaClass(type)) {
            return true;
        }
        boolean several = Iterable.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
        return !several
                && (LATER_TYPES.stream().anyMatch(each -> each.isAssignableFrom(type))
                        || (type.isInterface() && isFunctional(type)));
    }

    private static boolean isFunctional(Class<?> type) {
        return type.isAnnotationPresent(FunctionalInterface.class)
                || Arrays.stream(type.getInterfaces()).anyMatch(UnfinishedWork::isFunctional);
    }

    private static boolean isNamed(Class<?> type) {
        return LATER_NAMES.contains(type.getName())
                || (type.getSuperclass() != null && isNamed(type.getSuperclass()))
                || Arrays.stream(type.getInterfaces()).anyMatch(UnfinishedWork::isNamed);
    }

    /**
     * Returns whether the type is a container. Of collections and maps, only the JDK's are, because reading others, such as Hibernate's, may load
     * them.
     */
    private static boolean isContainer(Class<?> type) {
        boolean several = Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
        return type == Optional.class
                || type == AtomicReference.class
                || type.isRecord()
                || (Map.Entry.class.isAssignableFrom(type) && type.getClassLoader() == null)
                || (type.isArray() && !type.getComponentType().isPrimitive())
                || (several && type.getClassLoader() == null)
                || (WEB && Entities.isEntity(type));
    }

    /** Returns the first unfinished type in a declared type, at any depth of its type arguments; null if there is none. */
    static @Nullable Class<?> in(ResolvableType declared) {
        return find(declared, 0, new HashSet<>());
    }

    private static @Nullable Class<?> find(ResolvableType declared, int depth, Set<String> seen) {
        Class<?> type = declared.toClass();
        if (of(type).isUnfinished()) {
            return type;
        }
        // A value of type Class contains no instance of the class that it names.
        if (depth == MAX_DEPTH || type == Class.class || !seen.add(declared.toString())) {
            return null;
        }
        for (ResolvableType part : parts(declared)) {
            Class<?> found = find(part, depth + 1, seen);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Returns a type in a declared type that may be work: one that has to be closed, or a class of which a field is work; null if there is none. */
    static @Nullable Class<?> doubtfulIn(ResolvableType declared) {
        return doubtful(declared, new HashSet<>());
    }

    private static @Nullable Class<?> doubtful(ResolvableType declared, Set<String> seen) {
        Class<?> type = declared.toClass();
        if (!of(type).isUnfinished() && (isToBeClosed(type) || hasWork(declared, type))) {
            return type;
        }
        if (type == Class.class || !seen.add(declared.toString())) {
            return null;
        }
        for (ResolvableType part : parts(declared)) {
            Class<?> found = doubtful(part, seen);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** A stream of data is documented as not followed. */
    private static boolean isToBeClosed(Class<?> type) {
        return AutoCloseable.class.isAssignableFrom(type)
                && !BaseStream.class.isAssignableFrom(type)
                && type != ByteArrayInputStream.class;
    }

    private static boolean hasWork(ResolvableType declared, Class<?> type) {
        return type.getClassLoader() != null
                && !isContainer(type)
                && components(type)
                        .filter(field -> !Modifier.isTransient(field.getModifiers()))
                        .anyMatch(field -> in(ResolvableType.forField(field, declared)) != null);
    }

    private static ResolvableType[] parts(ResolvableType declared) {
        if (declared.isArray()) {
            return new ResolvableType[] {declared.getComponentType()};
        }
        return declared.toClass().isRecord()
                ? components(declared.toClass())
                        .map(component -> ResolvableType.forField(component, declared))
                        .toArray(ResolvableType[]::new)
                : declared.getGenerics();
    }

    private static Stream<Field> components(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields()).filter(field -> !Modifier.isStatic(field.getModifiers()));
    }

    /** Returns whether a value of the declared type may be or contain unfinished work that the type does not show. */
    static boolean mayBeIn(ResolvableType declared) {
        return mayBeIn(declared, 0, new HashSet<>());
    }

    private static boolean mayBeIn(ResolvableType declared, int depth, Set<String> seen) {
        Class<?> type = declared.toClass();
        boolean holds = Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
        if (isOpen(type)) {
            return true;
        }
        return depth < MAX_DEPTH
                && (holds || isContainer(type))
                && seen.add(declared.toString())
                && Arrays.stream(parts(elementsOf(declared, type))).anyMatch(part -> mayBeIn(part, depth + 1, seen));
    }

    /** Returns whether the type does not say what its values are. Such interfaces of the JDK as {@code Serializable} do not either. */
    private static boolean isOpen(Class<?> type) {
        boolean small = type.isInterface() && type.getClassLoader() == null && !isContainer(type);
        return type == Object.class || (small && !BaseStream.class.isAssignableFrom(type));
    }

    /** Returns the type as a collection or map, because a subclass may fix the type argument or have no type arguments of its own. */
    private static ResolvableType elementsOf(ResolvableType declared, Class<?> type) {
        if (Iterable.class.isAssignableFrom(type)) {
            return declared.as(Iterable.class);
        }
        return Map.class.isAssignableFrom(type) ? declared.as(Map.class) : declared;
    }

    /** Returns the first unfinished object in a value: the value itself, or an object that it contains. */
    static @Nullable Object in(@Nullable Object value) {
        try {
            return find(value, 0);
        } catch (RuntimeException notReadable) {
            // The value is a collection that can no longer be loaded. The caller cannot read it either.
            return null;
        }
    }

    private static @Nullable Object find(@Nullable Object value, int depth) {
        UnfinishedWork work = value == null ? NONE : of(value.getClass());
        if (work != CONTAINER || value == null || depth == MAX_DEPTH) {
            return work.isUnfinished() ? value : null;
        }
        for (Object part : parts(value)) {
            Object found = find(part, depth + 1);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static Iterable<? extends @Nullable Object> parts(Object container) {
        if (container instanceof Collection<?> several) {
            return several;
        }
        if (container instanceof Map<?, ?> map) {
            return map.values();
        }
        if (container instanceof Map.Entry<?, ?> entry) {
            return Arrays.asList(entry.getKey(), entry.getValue());
        }
        if (container instanceof Record record) {
            return components(record.getClass())
                    .map(component -> valueOf(component, record))
                    .collect(Collectors.toCollection(ArrayList::new));
        }
        if (container instanceof AtomicReference<?> reference) {
            return Collections.singletonList(reference.get());
        }
        if (container instanceof Object[] array) {
            return Arrays.asList(array);
        }
        return Collections.singletonList(
                container instanceof Optional<?> some ? some.orElse(null) : Entities.bodyOf(container));
    }

    /** Returns null if the record's module hides its fields. */
    private static @Nullable Object valueOf(Field component, Record record) {
        return component.trySetAccessible() ? ReflectionUtils.getField(component, record) : null;
    }

    /** A separate class, because Spring's web module is an optional library. */
    private static final class Entities {
        static boolean isEntity(Class<?> type) {
            return HttpEntity.class.isAssignableFrom(type);
        }

        static @Nullable Object bodyOf(Object entity) {
            return ((HttpEntity<?>) entity).getBody();
        }
    }
}
