package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.OnEveryInstance;
import dev.holdfast.lock.spring.declaration.Declaration;
import dev.holdfast.lock.spring.declaration.LockAnnotations;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/** The scheduled methods of classes, and whether each says on which instances it runs. */
final class ScheduledMethods {

    private ScheduledMethods() {}

    /** Returns a line for each method that does not say it. A method that several classes inherit is named once. */
    static List<String> findings(List<Class<?>> types, List<Class<? extends Annotation>> otherLocks) {
        return types.stream()
                .filter(type -> !Modifier.isAbstract(type.getModifiers()))
                .flatMap(type -> scheduled(type)
                        .flatMap(method -> Stream.ofNullable(problem(method, type, otherLocks))
                                .map(problem -> Declaration.signature(method) + " " + problem)))
                .distinct()
                .sorted()
                .toList();
    }

    /** Finds the methods as Spring does. */
    private static Stream<Method> scheduled(Class<?> type) {
        try {
            return MethodIntrospector.selectMethods(type, (ReflectionUtils.MethodFilter) Declaration::isScheduled)
                    .stream();
        } catch (IllegalStateException | LinkageError optionalLibrary) {
            return Stream.empty();
        }
    }

    private static @Nullable String problem(
            Method method, Class<?> type, List<Class<? extends Annotation>> otherLocks) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        boolean locked =
                LockAnnotations.isLocked(method, type) || otherLocks.stream().anyMatch(annotations::isPresent);
        boolean everywhere = annotations.isPresent(OnEveryInstance.class);
        if (locked && everywhere) {
            return "has a lock and @OnEveryInstance. Remove one of them";
        }
        return locked || everywhere
                ? null
                : "runs on every instance. Add @OncePerTick, or @OnEveryInstance if that is what it should do";
    }
}
