package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.BusyCall;
import dev.holdfast.lock.spring.LockFallback;
import dev.holdfast.lock.spring.declaration.LockOperation.Fallback;
import dev.holdfast.lock.spring.declaration.LockOperation.Handler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the fallback that runs instead of the annotated method when its lock is busy: another method of its class, or a bean. */
record Fallbacks(BeanFactory beans) {

    Fallback find(String name, String declaredName, Method method, Class<?> targetClass) {
        return new Fallback(
                name,
                name.startsWith("@")
                        ? bean(name.substring(1), declaredName, method)
                        : method(name, method, targetClass));
    }

    private Handler bean(String beanName, String declaredName, Method method) {
        if (!beans.containsBean(beanName) || !beans.isTypeMatch(beanName, LockFallback.class)) {
            throw Declaration.invalid(
                    method,
                    "its 'fallback' names no bean '" + beanName + "' of type " + LockFallback.class.getName(),
                    "Define one, or name a method of the class without the at sign");
        }
        return (target, arguments, busy) -> beans.getBean(beanName, LockFallback.class)
                .onBusy(new BusyCall(declaredName, method, target, declared(arguments, method), busy));
    }

    /** Finds a fallback method. An argument may be null, although Spring declares otherwise; hence the suppression. */
    @SuppressWarnings("NullAway")
    private static Handler method(String name, Method method, Class<?> targetClass) {
        Class<?>[] own = method.getParameterTypes();
        // A suspending function's last parameter is its continuation, so the exception goes before it.
        int end = own.length - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        Class<?>[] withReason = insert(own, end, LockNotAcquiredException.class);
        Method informed = ReflectionUtils.findMethod(targetClass, name, withReason);
        Method handler = informed == null ? ReflectionUtils.findMethod(targetClass, name, own) : informed;
        if (handler == null || handler.equals(method) || !answersFor(handler, method)) {
            throw Declaration.invalid(
                    method,
                    "its 'fallback' names no method '" + name + "' of " + targetClass.getName()
                            + " that takes the same parameters and returns what it returns",
                    "Declare it, optionally with a last parameter of type LockNotAcquiredException. A bean's name begins"
                            + " with an at sign");
        }
        return (target, arguments, busy) -> {
            @Nullable Object[] passed = informed == null ? arguments : insert(arguments, end, busy);
            return AopUtils.invokeJoinpointUsingReflection(target, handler, passed);
        };
    }

    private static <T extends @Nullable Object> T[] insert(T[] into, int index, T added) {
        List<T> all = new ArrayList<>(Arrays.asList(into));
        all.add(index, added);
        // Copies the list into a longer array of the same type.
        return all.toArray(into);
    }

    private static List<@Nullable Object> declared(@Nullable Object[] arguments, Method method) {
        List<@Nullable Object> all = Arrays.asList(arguments);
        return KotlinDetector.isSuspendingFunction(method) ? all.subList(0, all.size() - 1) : all;
    }

    private static boolean answersFor(Method handler, Method method) {
        Class<?> wanted = method.getReturnType();
        return wanted == void.class || ClassUtils.isAssignable(wanted, handler.getReturnType());
    }
}
