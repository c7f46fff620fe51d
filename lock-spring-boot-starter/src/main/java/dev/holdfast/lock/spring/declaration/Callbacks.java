package dev.holdfast.lock.spring.declaration;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** The methods of a class that Spring itself calls when it creates or destroys a bean of it. The proxy sees none of these calls. */
public record Callbacks(Class<?> type, @Nullable AbstractBeanDefinition definition) {

    /** Annotations of optional libraries, and Spring's own, by their names. */
    private static final List<String> CREATION = List.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.Resource",
            "jakarta.inject.Inject",
            "org.springframework.beans.factory.annotation.Autowired",
            "org.springframework.beans.factory.annotation.Value");

    private static final List<String> INFERRED = List.of("close", "shutdown");

    public boolean onCreation(Method method) {
        return isAnnotated(method, CREATION)
                || isDeclaredBy(InitializingBean.class, method)
                || isDeclaredBy(Aware.class, method)
                || (definition != null && isNamed(method, definition.getInitMethodNames()));
    }

    public boolean onDestruction(Method method) {
        // Spring forgets a prototype, whose methods are called by the application only.
        return (definition == null || !definition.isPrototype())
                && (isAnnotated(method, List.of("jakarta.annotation.PreDestroy"))
                        || isDeclaredBy(DisposableBean.class, method)
                        || isDeclaredBy(AutoCloseable.class, method)
                        || (definition != null && isNamed(method, definition.getDestroyMethodNames())));
    }

    private static boolean isAnnotated(Method method, List<String> annotations) {
        MergedAnnotations present = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return annotations.stream().anyMatch(present::isPresent);
    }

    /** Returns whether the method implements one of an interface of the class that is, or extends, the given one. */
    private boolean isDeclaredBy(Class<?> callback, Method method) {
        return callback.isAssignableFrom(type)
                && Stream.of(ClassUtils.getAllInterfacesForClass(type))
                        .filter(callback::isAssignableFrom)
                        .anyMatch(each -> ClassUtils.hasMethod(each, method));
    }

    private static boolean isNamed(Method method, String @Nullable [] names) {
        return names != null
                && method.getParameterCount() == 0
                && Arrays.stream(names)
                        .anyMatch(name -> name.equals(method.getName())
                                || (name.equals(AbstractBeanDefinition.INFER_METHOD)
                                        && INFERRED.contains(method.getName())));
    }
}
