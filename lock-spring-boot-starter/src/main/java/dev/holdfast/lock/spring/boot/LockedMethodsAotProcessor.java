package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Hints for annotated methods and their parameters' types: {@code #order.id} is read by reflection. */
final class LockedMethodsAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
            return null;
        }
        Set<Method> methods = annotated(type);
        return methods.isEmpty()
                ? null
                : (generation, code) -> methods.forEach(
                        method -> hint(generation.getRuntimeHints().reflection(), method));
    }

    private static Set<Method> annotated(Class<?> type) {
        boolean all = isAnnotated(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
        Map<Method, Boolean> found = MethodIntrospector.selectMethods(type, (MetadataLookup<Boolean>) method ->
                (all || isAnnotated(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY))) ? true : null);
        return found.keySet().stream()
                .filter(method -> method.getDeclaringClass() != Object.class)
                .collect(Collectors.toSet());
    }

    private static boolean isAnnotated(MergedAnnotations annotations) {
        return annotations.isPresent(DistributedLock.class);
    }

    private static void hint(ReflectionHints hints, Method method) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        Stream.of(method.getParameterTypes())
                .filter(type -> !type.isPrimitive())
                .forEach(type -> hints.registerType(
                        type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS));
    }
}
