package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Checks methods that Spring itself calls. Spring may bypass the proxy, have no value for a parameter, or be unable to use the result. */
record SpringCallsCheck(
        ConfigurableListableBeanFactory beans,
        Class<?> type,
        @Nullable AbstractBeanDefinition definition) {

    /** The name of the bean that is WebFlux's entry point. It exists only if WebFlux is used. */
    private static final String WEB_FLUX = "webHandler";

    static SpringCallsCheck of(ConfigurableListableBeanFactory beans, String beanName, Class<?> type) {
        boolean defined = beans.containsBeanDefinition(beanName)
                && beans.getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition;
        return new SpringCallsCheck(
                beans, type, defined ? (AbstractBeanDefinition) beans.getMergedBeanDefinition(beanName) : null);
    }

    /** Returns whether Spring calls a method of the bean when it creates or destroys the bean. The proxy sees none of these calls. */
    boolean isCallback(Method method) {
        return method.getParameterCount() == 0
                && (isAnnotated(method, "jakarta.annotation.PostConstruct")
                        || isAnnotated(method, "jakarta.annotation.PreDestroy")
                        || isDeclaredBy(InitializingBean.class, "afterPropertiesSet", method)
                        || isDeclaredBy(DisposableBean.class, "destroy", method)
                        || isNamedByDefinition(method));
    }

    private boolean isDeclaredBy(Class<?> callback, String name, Method method) {
        return callback.isAssignableFrom(type) && method.getName().equals(name);
    }

    private boolean isNamedByDefinition(Method method) {
        return definition != null
                && Stream.of(definition.getInitMethodNames(), definition.getDestroyMethodNames())
                        .flatMap(names -> names == null ? Stream.empty() : Arrays.stream(names))
                        .anyMatch(method.getName()::equals);
    }

    void check(Method method) {
        if (isCallback(method)) {
            throw Declaration.invalid(
                    method,
                    "Spring calls it past the proxy when it creates or destroys the bean, and it would run without its lock",
                    "Move the work to an ApplicationRunner or to a listener of ApplicationReadyEvent, or use the"
                            + " LockClient in it");
        }
        if (!isAnnotated(method, "org.springframework.web.bind.annotation.RequestMapping")) {
            return;
        }
        if (Arrays.stream(method.getParameters()).anyMatch(SpringCallsCheck::hasNoValue)) {
            throw Declaration.invalid(
                    method,
                    "Spring's controllers have no value for its parameter of type " + Lease.class.getName(),
                    "Use LockContext.current() in the method");
        }
        if (method.getReturnType() == Callable.class && beans.containsBean(WEB_FLUX)) {
            throw Declaration.invalid(
                    method, "WebFlux does not call a Callable, it writes the object", "Return a Mono or a Flux");
        }
    }

    private static boolean hasNoValue(Parameter parameter) {
        return parameter.getType() == Lease.class
                && Arrays.stream(parameter.getAnnotations())
                        .noneMatch(each -> each.annotationType().getName().startsWith("org.springframework.web."));
    }

    /** Returns whether a method is annotated. The annotation is given by name because its library is optional. */
    private static boolean isAnnotated(Method method, String annotation) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(annotation);
    }
}
