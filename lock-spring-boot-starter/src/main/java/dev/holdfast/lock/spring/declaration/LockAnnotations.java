package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the annotations of a method: its own or, if it has none, those of its class. If there are several places, only the closest applies. */
public final class LockAnnotations {

    private static final ClassValue<Set<Method>> LOCKED = new ClassValue<>() {
        @Override
        protected Set<Method> computeValue(Class<?> type) {
            try {
                return Mentions.in(type)
                        ? MethodIntrospector.selectMethods(type, (ReflectionUtils.MethodFilter)
                                method -> !annotations(method, type).isEmpty())
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
        return !annotations(specific(method, targetClass), targetClass).isEmpty();
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
                        .flatMap(method -> annotations(method, type).stream())
                        .map(annotation -> annotation.getString("fallback"))
                        .anyMatch(fallback -> !fallback.isBlank() && !fallback.startsWith("@"));
    }

    /** Returns whether the method itself is annotated, and not only its class. */
    public static boolean declaresItself(Method method, Class<?> targetClass) {
        return !declared(method, targetClass).isEmpty();
    }

    /** Returns the annotations that apply to a method. Refuses it if they are in several places of which none is the closest. */
    static List<MergedAnnotation<DistributedLock>> of(Method method, Class<?> targetClass) {
        List<MergedAnnotation<DistributedLock>> taken = annotations(method, targetClass);
        checkOnePlace(method, targetClass, taken);
        return taken;
    }

    private static List<MergedAnnotation<DistributedLock>> annotations(Method method, Class<?> targetClass) {
        List<MergedAnnotation<DistributedLock>> own = declared(method, targetClass);
        List<MergedAnnotation<DistributedLock>> all = own.isEmpty() ? closest(targetClass) : own;
        return all.isEmpty() || !own.isEmpty() || isCoveredByClass(method, targetClass) ? all : List.of();
    }

    /**
     * Returns whether an annotation of the class applies to the method. It leaves out what Spring calls to create, to describe or to destroy the bean,
     * and inherited code of the JDK, such as {@code Consumer.andThen}: nobody wrote the annotation for it.
     */
    private static boolean isCoveredByClass(Method method, Class<?> targetClass) {
        Callbacks callbacks = new Callbacks(targetClass, null);
        return Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && !method.isSynthetic()
                && !ReflectionUtils.isObjectMethod(method)
                && method.getDeclaringClass().getClassLoader() != null
                && !callbacks.onCreation(method)
                && !callbacks.onDestruction(method)
                && !callbacks.isQuestion(method);
    }

    /** Returns the annotations of the method, or those of an interface that has the method but that the method's class does not know. */
    private static List<MergedAnnotation<DistributedLock>> declared(Method method, Class<?> targetClass) {
        List<MergedAnnotation<DistributedLock>> own = closest(method);
        return !own.isEmpty() || method.getDeclaringClass() == targetClass
                ? own
                : Stream.of(ClassUtils.getAllInterfacesForClass(targetClass))
                        .filter(type -> !type.isAssignableFrom(method.getDeclaringClass()))
                        .flatMap(type -> Stream.of(type.getMethods()))
                        .filter(other -> isImplementedBy(method, other, targetClass))
                        .map(LockAnnotations::closest)
                        .filter(found -> !found.isEmpty())
                        .findFirst()
                        .orElse(own);
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
    private static void checkOnePlace(
            Method method, Class<?> targetClass, List<MergedAnnotation<DistributedLock>> taken) {
        Class<?> place = taken.isEmpty() ? null : placeOf(taken.get(0));
        if (place == null || !place.isInterface()) {
            return;
        }
        AnnotatedElement element = taken.get(0).getSource() instanceof Method ? method : targetClass;
        Map<Class<?>, Set<DistributedLock>> places =
                MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream(DistributedLock.class)
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
        return annotation.getSource() instanceof Method method
                ? method.getDeclaringClass()
                : (Class<?>) Objects.requireNonNull(annotation.getSource());
    }
}
