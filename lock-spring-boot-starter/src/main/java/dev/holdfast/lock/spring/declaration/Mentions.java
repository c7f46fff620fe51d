package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.DistributedLock;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Which classes have a lock's annotation anywhere. Nearly none has, and each class of a hierarchy is read once, while Spring's search goes through the
 * hierarchy for each method of each class. That search took a third of what the starter added to an application's start.
 */
final class Mentions {

    /** The jar may be in another one. */
    private static final Pattern SPRING_JAR = Pattern.compile("/spring-[a-z-]+-[0-9][^/]*\\.jar(!/)?$");

    private static final Pattern SPRING =
            Pattern.compile("org\\.springframework\\.(aop|beans|boot|context|core|data|scheduling|transaction|web)\\.");

    private static final ClassValue<Boolean> BY_CLASS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return !isOfLibrary(type)
                    && AnnotationUtils.isCandidateClass(type, DistributedLock.class)
                    && (isMentionedOn(type)
                            || isMentionedOn(ReflectionUtils.getDeclaredMethods(type))
                            || (type.getSuperclass() != null && get(type.getSuperclass()))
                            || Arrays.stream(type.getInterfaces()).anyMatch(this::get));
        }
    };

    private static final ClassValue<Boolean> BY_ANNOTATION = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return leadsToLock(type, new HashSet<>());
        }
    };

    private Mentions() {}

    /**
     * Returns false if neither the class nor a supertype, and none of their methods, has an annotation that is or contains one of a lock, itself or on
     * its own class.
     */
    static boolean in(Class<?> type) {
        return BY_CLASS.get(type);
    }

    /**
     * Returns whether a class belongs to Spring or to this product, and so declares no lock. Most beans are of such classes. To read one loads the
     * classes that its annotations and its methods' signatures name. A name alone proves nothing, so the class must also come from the right jar.
     */
    private static boolean isOfLibrary(Class<?> type) {
        ProtectionDomain origin = type.getProtectionDomain();
        if (type.getName().startsWith("dev.holdfast.lock.")) {
            return origin == DistributedLock.class.getProtectionDomain()
                    || origin == LockClient.class.getProtectionDomain();
        }
        CodeSource source = origin.getCodeSource();
        return SPRING.matcher(type.getName()).lookingAt()
                && source != null
                && source.getLocation() != null
                && SPRING_JAR.matcher(source.getLocation().getPath()).find();
    }

    private static boolean isMentionedOn(AnnotatedElement... elements) {
        try {
            for (AnnotatedElement element : elements) {
                for (Annotation each : element.getDeclaredAnnotations()) {
                    if (BY_ANNOTATION.get(each.annotationType())) {
                        return true;
                    }
                }
            }
            return false;
        } catch (RuntimeException | LinkageError e) {
            // A library that an annotation needs is absent. Spring's search knows what to do then.
            return true;
        }
    }

    /** Also follows the attributes, because any annotation may be the container of a repeatable one. */
    private static boolean leadsToLock(Class<?> type, Set<Class<?>> seen) {
        if (type == DistributedLock.class) {
            return true;
        }
        if (!seen.add(type) || !AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
            return false;
        }
        for (Annotation each : type.getDeclaredAnnotations()) {
            if (leadsToLock(each.annotationType(), seen)) {
                return true;
            }
        }
        for (Method attribute : type.getDeclaredMethods()) {
            Class<?> contained = attribute.getReturnType().getComponentType();
            if (contained != null && contained.isAnnotation() && leadsToLock(contained, seen)) {
                return true;
            }
        }
        return false;
    }
}
