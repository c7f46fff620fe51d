package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Scheduled;

/** Names an annotated method in messages, and creates the exception for an invalid declaration. */
public final class Declaration {

    private Declaration() {}

    public static String signature(Method method) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(","));
        return method.getDeclaringClass().getName() + "." + method.getName() + "(" + parameters + ")";
    }

    /** Returns whether Spring schedules the method. It ignores the annotations of a method that this one overrides. */
    public static boolean isScheduled(Method method) {
        return MergedAnnotations.from(method).isPresent(Scheduled.class);
    }

    public static InvalidLockDeclarationException invalid(Method method, String problem, String action) {
        return new InvalidLockDeclarationException(signature(method), problem, action);
    }
}
