package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.BusyCall;
import dev.holdfast.lock.spring.LockFallback;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds what a busy call runs instead of the annotated method: another method of its class, or a bean. */
final class Fallbacks {

    /** What a busy call runs instead of the annotated method. */
    @FunctionalInterface
    interface Fallback {

        @Nullable
        Object answer(LockedInvocation call, LockNotAcquiredException busy) throws Throwable;
    }

    private final BeanFactory beans;

    Fallbacks(BeanFactory beans) {
        this.beans = beans;
    }

    Fallback find(String handler, String declaredName, Method method, Class<?> targetClass) {
        return handler.startsWith("@")
                ? bean(handler.substring(1), declaredName, method)
                : method(handler, method, targetClass);
    }

    private Fallback bean(String beanName, String declaredName, Method method) {
        if (!beans.containsBean(beanName) || !beans.isTypeMatch(beanName, LockFallback.class)) {
            throw LockOperation.invalid(
                    method,
                    "its 'fallback' names no bean '" + beanName + "' of type " + LockFallback.class.getName(),
                    "Define one, or name a method of the class without the at sign");
        }
        return (call, busy) -> beans.getBean(beanName, LockFallback.class)
                .onBusy(new BusyCall(declaredName, method, call.target(), Arrays.asList(call.arguments()), busy));
    }

    private static Fallback method(String name, Method method, Class<?> targetClass) {
        Class<?>[] own = method.getParameterTypes();
        Class<?>[] withReason = Arrays.copyOf(own, own.length + 1);
        withReason[own.length] = LockNotAcquiredException.class;
        Method told = ReflectionUtils.findMethod(targetClass, name, withReason);
        Method handler = told == null ? ReflectionUtils.findMethod(targetClass, name, own) : told;
        if (handler == null || handler.equals(method) || !answersFor(handler, method)) {
            throw LockOperation.invalid(
                    method,
                    "its 'fallback' names no method '" + name + "' of " + targetClass.getName()
                            + " that takes the same parameters and returns what it returns",
                    "Declare it, optionally with a last parameter of type LockNotAcquiredException; a bean's name begins"
                            + " with an at sign");
        }
        ReflectionUtils.makeAccessible(handler);
        return (call, busy) -> invoke(handler, call.target(), told == null ? call.arguments() : with(call, busy));
    }

    private static boolean answersFor(Method handler, Method method) {
        Class<?> wanted = method.getReturnType();
        return wanted == void.class || ClassUtils.isAssignable(wanted, handler.getReturnType());
    }

    private static @Nullable Object[] with(LockedInvocation call, LockNotAcquiredException busy) {
        @Nullable Object[] arguments = Arrays.copyOf(call.arguments(), call.arguments().length + 1);
        arguments[arguments.length - 1] = busy;
        return arguments;
    }

    private static @Nullable Object invoke(Method handler, @Nullable Object target, @Nullable Object[] arguments)
            throws Throwable {
        try {
            return handler.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
