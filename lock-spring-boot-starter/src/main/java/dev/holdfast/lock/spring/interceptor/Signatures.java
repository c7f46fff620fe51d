package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** A method's full signature: the name of a lock that has none of its own, and what messages call the method. */
final class Signatures {

    private Signatures() {}

    static String of(Method method) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(","));
        return method.getDeclaringClass().getName() + "." + method.getName() + "(" + parameters + ")";
    }
}
