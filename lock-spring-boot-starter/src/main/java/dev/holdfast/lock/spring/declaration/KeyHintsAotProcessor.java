package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.spring.DistributedLock;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Contributes native-image hints for annotated methods and for the properties that their keys may read, at any depth, as in {@code
 * #order.customer.id}.
 */
final class KeyHintsAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Set<Method> methods = new HashSet<>();
        // The class of a factory bean and the class of its product differ.
        Stream.of(bean.getBeanClass(), bean.getBeanType().toClass())
                .filter(type -> AnnotationUtils.isCandidateClass(type, DistributedLock.class))
                .forEach(type -> methods.addAll(LockAnnotations.lockedMethods(type)));
        return methods.isEmpty()
                ? null
                : (generation, code) -> {
                    ReflectionHints hints = generation.getRuntimeHints().reflection();
                    Set<Class<?>> added = new HashSet<>();
                    methods.forEach(method -> add(method, hints, added));
                };
    }

    private static void add(Method method, ReflectionHints hints, Set<Class<?>> added) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        for (int i = 0; i < method.getParameterCount(); i++) {
            add(ResolvableType.forMethodParameter(method, i), hints, added);
        }
    }

    private static void add(ResolvableType type, ReflectionHints hints, Set<Class<?>> added) {
        Stream.of(type.getGenerics()).forEach(each -> add(each, hints, added));
        Class<?> resolved = type.isArray() ? type.getComponentType().toClass() : type.toClass();
        if (resolved.isPrimitive() || resolved == Object.class || !added.add(resolved)) {
            return;
        }
        hints.registerType(resolved, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
        // An expression reads the actual object, which may be an instance of a subclass.
        if (resolved.isSealed()) {
            Stream.of(resolved.getPermittedSubclasses())
                    .map(ResolvableType::forClass)
                    .forEach(each -> add(each, hints, added));
        }
        if (isOfTheApplication(resolved)) {
            Stream.of(resolved.getMethods())
                    .filter(method -> method.getParameterCount() == 0 && method.getDeclaringClass() != Object.class)
                    .forEach(method -> add(ResolvableType.forMethodReturnType(method, resolved), hints, added));
            Stream.of(resolved.getFields()).forEach(field -> add(ResolvableType.forField(field), hints, added));
        }
    }

    /** Returns whether the application defines the type. The properties of library types would lead through half of the class path. */
    private static boolean isOfTheApplication(Class<?> type) {
        return Stream.of("java.", "javax.", "jakarta.", "kotlin.", "org.springframework.", "dev.holdfast.lock.Lease")
                .noneMatch(type.getName()::startsWith);
    }
}
