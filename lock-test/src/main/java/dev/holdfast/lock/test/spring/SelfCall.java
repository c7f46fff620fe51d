package dev.holdfast.lock.test.spring;

import dev.holdfast.lock.spring.interceptor.LockOperationSource;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A call of a method on {@code this}, or a reference to the method.
 *
 * @param place the class, the method and the line of the call
 * @param self the class whose {@code this} it is, which may be an outer class
 * @param name the name of the called method
 * @param parameters the types of its parameters
 */
record SelfCall(String place, Class<?> self, String name, List<Type> parameters) {

    /** Returns whether the call, on an object of this class, runs a method without its lock. */
    boolean reachesLock(Class<?> target) {
        if (!self.isAssignableFrom(target)) {
            return false;
        }
        return candidates().anyMatch(method -> LockOperationSource.isLocked(method, target));
    }

    private Stream<Method> candidates() {
        String descriptors = text();
        return Stream.concat(Stream.of(self), Stream.of(ClassUtils.getAllInterfacesForClass(self)))
                .flatMap(type -> Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type)))
                .filter(method -> method.getName().equals(name)
                        && Arrays.stream(Type.getArgumentTypes(method))
                                .map(Type::getDescriptor)
                                .collect(Collectors.joining())
                                .equals(descriptors));
    }

    private String text() {
        return parameters.stream().map(Type::getDescriptor).collect(Collectors.joining());
    }

    String description(Class<?> target) {
        String arguments = parameters.stream()
                .map(type -> ClassUtils.getShortName(type.getClassName()))
                .collect(Collectors.joining(", "));
        return "calls " + target.getName() + "." + name + "(" + arguments
                + ") through 'this', past the proxy that takes its lock. Move the method to another bean, call it on the"
                + " injected bean (@Lazy), or use the LockClient";
    }
}
