package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * Which annotations count for a method: its own, or else its class's; each with those of interfaces, superclasses and other annotations. Where
 * several places have some, those of the nearest one count.
 */
final class LockAnnotations {

    private LockAnnotations() {}

    /** Those of a method of a class, which is the most specific one. */
    static List<MergedAnnotation<DistributedLock>> of(Method method, Class<?> targetClass) {
        List<MergedAnnotation<DistributedLock>> own = nearest(method);
        return own.isEmpty() && isMeantByClass(method) ? nearest(targetClass) : own;
    }

    private static boolean isMeantByClass(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && !method.isSynthetic()
                && !ReflectionUtils.isObjectMethod(method);
    }

    private static List<MergedAnnotation<DistributedLock>> nearest(AnnotatedElement element) {
        List<MergedAnnotation<DistributedLock>> all =
                MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(DistributedLock.class)
                        .toList();
        int nearest =
                all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
        return all.stream()
                .filter(annotation -> annotation.getAggregateIndex() == nearest)
                .toList();
    }
}
