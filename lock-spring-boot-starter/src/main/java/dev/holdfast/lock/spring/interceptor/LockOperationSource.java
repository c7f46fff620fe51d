package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the locks of a method: its annotations, or else its class's. Of several places, only the closest applies. */
final class LockOperationSource {

    private final LockOperationParser parser;
    private final ConcurrentMap<MethodClassKey, Optional<LockedMethod>> known = new ConcurrentHashMap<>();

    LockOperationSource(LockOperationParser parser) {
        this.parser = parser;
    }

    /** The locks of a method as it is called, possibly through an interface or a bridge method. Empty if it declares none. */
    Optional<LockedMethod> find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        // The map may lock to compute.
        Optional<LockedMethod> found = known.get(key);
        return found == null ? known.computeIfAbsent(key, unknown -> read(method, targetClass)) : found;
    }

    private Optional<LockedMethod> read(Method method, Class<?> targetClass) {
        Method specific = specific(method, targetClass);
        List<MergedAnnotation<DistributedLock>> annotations = annotations(specific, targetClass);
        List<LockOperation> operations = annotations.stream()
                .map(annotation -> parser.parse(annotation, specific, targetClass))
                .toList();
        int leaseParameter = Arrays.asList(specific.getParameterTypes()).indexOf(Lease.class);
        return operations.isEmpty()
                ? Optional.empty()
                : Optional.of(new LockedMethod(
                        specific, operations, ResultHandling.of(specific, targetClass), leaseParameter));
    }

    static boolean isLocked(Method method, Class<?> targetClass) {
        return !annotations(specific(method, targetClass), targetClass).isEmpty();
    }

    /** The method whose annotations apply. Those of a JDK proxy or a lambda have no parameter names; their interface's have. */
    private static Method specific(Method method, Class<?> targetClass) {
        return Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass)
                ? ClassUtils.getInterfaceMethodIfPossible(method, targetClass)
                : AopUtils.getMostSpecificMethod(method, targetClass);
    }

    static Set<Method> lockedMethods(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (ReflectionUtils.MethodFilter)
                method -> !annotations(method, type).isEmpty());
    }

    static boolean mayDeclare(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DistributedLock.class)
                && !type.getName().startsWith("org.springframework.");
    }

    /** Whether the method itself is annotated, and not only its class. */
    static boolean declaresItself(Method method) {
        return !closest(method).isEmpty();
    }

    private static List<MergedAnnotation<DistributedLock>> annotations(Method method, Class<?> targetClass) {
        List<MergedAnnotation<DistributedLock>> own = closest(method);
        return own.isEmpty() && isCoveredByClass(method) ? closest(targetClass) : own;
    }

    private static boolean isCoveredByClass(Method method) {
        boolean instance = Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
        return instance && !method.isSynthetic() && !ReflectionUtils.isObjectMethod(method);
    }

    private static List<MergedAnnotation<DistributedLock>> closest(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(DistributedLock.class)
                .filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
                .toList();
    }

    /** An annotated method of the target's class, and its locks, at least one. Without a lease parameter its position is -1. */
    record LockedMethod(Method method, List<LockOperation> operations, ResultHandling results, int leaseParameter) {}
}
