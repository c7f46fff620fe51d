package dev.holdfast.lock.spring.interceptor;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;

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
        if (LATER_TYPES.stream().anyMatch(each -> each.isAssignableFrom(type))
                || isNamed(type)
                // A resource may be read later, when its content may have changed.
                || (Resource.class.isAssignableFrom(type) && !ByteArrayResource.class.isAssignableFrom(type))
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
            return LATER;
        }
        return isContainer(type) ? CONTAINER : NONE;
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
                || (type.isArray() && !type.getComponentType().isPrimitive())
                || (several && type.getClassLoader() == null)
                || (WEB && Entities.isEntity(type));
    }

    /** Returns the first unfinished type in a declared type, at any depth of its type arguments. */
    static Optional<Class<?>> in(ResolvableType declared) {
        return Optional.ofNullable(find(declared, 0));
    }

    private static @Nullable Class<?> find(ResolvableType declared, int depth) {
        Class<?> type = declared.toClass();
        if (of(type).isUnfinished()) {
            return type;
        }
        // A value of type Class contains no instance of the class that it names.
        if (depth == MAX_DEPTH || type == Class.class) {
            return null;
        }
        for (ResolvableType part : parts(declared)) {
            Class<?> found = find(part, depth + 1);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static ResolvableType[] parts(ResolvableType declared) {
        return declared.isArray() ? new ResolvableType[] {declared.getComponentType()} : declared.getGenerics();
    }

    /** Returns whether a value of the declared type may be or contain unfinished work that the type does not show. */
    static boolean mayBeIn(ResolvableType declared) {
        return mayBeIn(declared, 0);
    }

    private static boolean mayBeIn(ResolvableType declared, int depth) {
        Class<?> type = declared.toClass();
        if (type == Object.class) {
            return true;
        }
        boolean holds =
                type == Iterable.class || Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
        return depth < MAX_DEPTH
                && (holds || isContainer(type))
                && Arrays.stream(parts(elementsOf(declared, type))).anyMatch(part -> mayBeIn(part, depth + 1));
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
        if (container instanceof Object[] array) {
            return Arrays.asList(array);
        }
        return Collections.singletonList(
                container instanceof Optional<?> some ? some.orElse(null) : Entities.bodyOf(container));
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
