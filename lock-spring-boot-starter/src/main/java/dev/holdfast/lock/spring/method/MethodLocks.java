package dev.holdfast.lock.spring.method;

import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The locks of an application context, for calls that reach an object without a proxy. */
public interface MethodLocks {
    /** Acquires the method's locks, runs the body, and releases the locks. Throws what the body throws, or the refusal or loss of a lock. */
    @Nullable
    Object call(
            Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] arguments, MethodBody body)
            throws Throwable;

    /** Runs a proxy's call under the method's locks. The proxy's advice ends with the method's body. */
    @Nullable
    Object aroundBody(MethodInvocation call) throws Throwable;

    /** Runs the body at the end of a proxy's advice, which receives of a suspending function a publisher. */
    @Nullable
    Object atEnd(MethodInvocation call, MethodBody body) throws Throwable;

    /** The rest of a method invocation. It returns and throws what the method returns and throws. */
    @FunctionalInterface
    interface MethodBody {
        @Nullable
        Object proceed(@Nullable Object[] arguments) throws Throwable;
    }
}
