package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the annotations of a method. If there are several places, only the closest applies. */
public final class LockAnnotations {

    private static final ClassValue<Set<Method>> LOCKED = new ClassValue<>() {
        @Override
        protected Set<Method> computeValue(Class<?> type) {
            try {
                return Mentions.in(type)
                        ? MethodIntrospector.selectMethods(type, (ReflectionUtils.MethodFilter)
                                method -> !declared(method, type).isEmpty())
                        : Set.of();
            } catch (IllegalStateException e) {
                if (e.getCause() instanceof LinkageError) {
                    // A library that the class needs is absent. Spring cannot create a bean of it either.
                    return Set.of();
                }
                throw e;
            }
        }
    };

    private LockAnnotations() {}

    /** Returns whether a call of this method on an object of this class needs a lock. The method may be one of a supertype. */
    public static boolean isLocked(Method method, Class<?> targetClass) {
        return !declared(specific(method, targetClass), targetClass).isEmpty();
    }

    /** Returns the method whose annotations apply. For a JDK proxy or a lambda, this is the interface method, because only it has parameter names. */
    public static Method specific(Method method, Class<?> targetClass) {
        return Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass)
                ? ClassUtils.getInterfaceMethodIfPossible(method, targetClass)
                : AopUtils.getMostSpecificMethod(method, targetClass);
    }

    /** Returns the methods of a class that declare locks, inherited methods included. Each class is read once. */
    public static Set<Method> lockedMethods(Class<?> type) {
        return LOCKED.get(ClassUtils.getUserClass(type));
    }

    /** Returns whether a lock of the class may name one of the locked methods as its fallback, which is called past the proxy. */
    public static boolean mayLockFallbacks(Class<?> type) {
        return lockedMethods(type).size() > 1
                && lockedMethods(type).stream()
                        .flatMap(method -> declared(method, type).stream())
                        .map(annotation -> annotation.getString("fallback"))
                        .anyMatch(fallback -> !fallback.isBlank());
    }

    /** Refuses a lock on a class, which an annotation of the application can carry there. It would lock nothing. */
    public static void checkIsNotOnClass(Class<?> type) {
        if (Mentions.in(type) && !closest(ClassUtils.getUserClass(type)).isEmpty()) {
            throw new InvalidLockDeclarationException(
                    type.getName(), "a lock on a class locks none of its methods", "Annotate the methods");
        }
    }

    /** Returns the annotations that apply to a method. Refuses it if they are in several places of which none is the closest. */
    static List<MergedAnnotation<DistributedLock>> of(Method method, Class<?> targetClass) {
        List<MergedAnnotation<DistributedLock>> taken = declared(method, targetClass);
        checkOnePlace(method, taken);
        return taken;
    }

    /** Returns the annotations of the method, or those of an interface that has the method but that the method's class does not know. */
    private static List<MergedAnnotation<DistributedLock>> declared(Method method, Class<?> targetClass) {
        List<MergedAnnotation<DistributedLock>> found = closest(method);
        if (!found.isEmpty() || method.getDeclaringClass() == targetClass) {
            return found;
        }
        for (Class<?> type : ClassUtils.getAllInterfacesForClass(targetClass)) {
            for (Method other : type.getMethods()) {
                if (found.isEmpty()
                        && !type.isAssignableFrom(method.getDeclaringClass())
                        && isImplementedBy(method, other, targetClass)) {
                    found = closest(other);
                }
            }
        }
        return found;
    }

    private static boolean isImplementedBy(Method method, Method other, Class<?> targetClass) {
        return other.getName().equals(method.getName())
                && other.getParameterCount() == method.getParameterCount()
                && IntStream.range(0, method.getParameterCount())
                        .allMatch(i -> ResolvableType.forMethodParameter(method, i, targetClass)
                                        .toClass()
                                == ResolvableType.forMethodParameter(other, i, targetClass)
                                        .toClass());
    }

    private static List<MergedAnnotation<DistributedLock>> closest(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(DistributedLock.class)
                .filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
                .toList();
    }

    /** Refuses different annotations in two interfaces of which neither is the closest. */
    private static void checkOnePlace(Method method, List<MergedAnnotation<DistributedLock>> taken) {
        Class<?> place = taken.isEmpty() ? null : placeOf(taken.get(0));
        if (place == null || !place.isInterface()) {
            return;
        }
        Map<Class<?>, Set<DistributedLock>> places =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream(DistributedLock.class)
                        .collect(Collectors.groupingBy(
                                LockAnnotations::placeOf,
                                LinkedHashMap::new,
                                Collectors.mapping(MergedAnnotation::synthesize, Collectors.toSet())));
        places.forEach((other, locks) -> {
            if (other.isInterface() && !other.isAssignableFrom(place) && !locks.equals(places.get(place))) {
                throw Declaration.invalid(
                        method,
                        "the interfaces " + place.getName() + " and " + other.getName()
                                + " declare different locks for it, and only one of them would be taken",
                        "Annotate the method itself");
            }
        });
    }

    private static Class<?> placeOf(MergedAnnotation<?> annotation) {
        return ((Method) Objects.requireNonNull(annotation.getSource())).getDeclaringClass();
    }
}
