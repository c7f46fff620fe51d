package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.LockNotAcquiredException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The method that runs instead of the annotated one when its lock is busy.
 *
 * @param reasonAt the position of its parameter for the reason; -1 if it has none
 */
public record Fallback(Method handler, int reasonAt) {

    static Fallback of(String name, Method method, Class<?> targetClass) {
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
                    "Declare it, optionally with a last parameter of type LockNotAcquiredException");
        }
        return new Fallback(handler, informed == null ? -1 : end);
    }

    private static boolean answersFor(Method handler, Method method) {
        Class<?> wanted = method.getReturnType();
        return wanted == void.class || ClassUtils.isAssignable(wanted, handler.getReturnType());
    }

    /** Answers a call. An argument may be null, although Spring declares otherwise; hence the suppression. */
    @SuppressWarnings("NullAway")
    public @Nullable Object answer(@Nullable Object target, @Nullable Object[] arguments, LockNotAcquiredException busy)
            throws Throwable {
        @Nullable Object[] passed = reasonAt < 0 ? arguments : insert(arguments, reasonAt, busy);
        return AopUtils.invokeJoinpointUsingReflection(target, handler, passed);
    }

    private static <T extends @Nullable Object> T[] insert(T[] into, int index, T added) {
        List<T> all = new ArrayList<>(Arrays.asList(into));
        all.add(index, added);
        // Copies the list into a longer array of the same type.
        return all.toArray(into);
    }
}
