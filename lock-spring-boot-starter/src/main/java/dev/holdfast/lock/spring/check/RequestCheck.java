package dev.holdfast.lock.spring.check;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.declaration.Declaration;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Checks handler methods of controllers, for whose parameters Spring may have no value, and whose result it may be unable to use. */
record RequestCheck(BeanFactory beans) {

    /** The name of the bean that is WebFlux's entry point. It exists only if WebFlux is used. */
    private static final String WEB_FLUX = "webHandler";

    void check(Method method) {
        // The annotation is given by name because its library is optional.
        if (!MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
                .isPresent("org.springframework.web.bind.annotation.RequestMapping")) {
            return;
        }
        if (Arrays.stream(method.getParameters()).anyMatch(RequestCheck::hasNoValue)) {
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
}
