package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Names an annotated method in messages, and creates the exception for an invalid declaration. */
final class Declaration {

    private Declaration() {}

    static String signature(Method method) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(","));
        return method.getDeclaringClass().getName() + "." + method.getName() + "(" + parameters + ")";
    }

    static InvalidLockDeclarationException invalid(Method method, String problem, String action) {
        return new InvalidLockDeclarationException(signature(method), problem, action);
    }
}
