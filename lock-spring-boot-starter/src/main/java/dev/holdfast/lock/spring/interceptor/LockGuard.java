package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.interceptor.LockOperationSource.LockedMethod;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs a method under the locks that it declares. Proxies and woven code call it. */
public final class LockGuard {

    /** The rest of a method invocation. */
    @FunctionalInterface
    public interface Body {

        /**
         * Runs it.
         *
         * @param arguments the arguments of the method
         * @return what the method returns
         * @throws Throwable what the method throws
         */
        @Nullable
        Object proceed(@Nullable Object[] arguments) throws Throwable;
    }

    private final LockOperationSource methods;
    private final LockAcquirer acquirer;

    LockGuard(LockOperationSource methods, LockAcquirer acquirer) {
        this.methods = methods;
        this.acquirer = acquirer;
    }

    /**
     * Acquires the method's locks, runs the method, and releases the locks. A method that declares none just runs.
     *
     * @param method the method, as it was called
     * @param targetClass the class of the object that is called
     * @param target that object
     * @param arguments the call's arguments
     * @param body the rest of the call
     * @return what the caller receives
     * @throws Throwable what the method throws, or the refusal or the loss of a lock
     */
    public @Nullable Object call(
            Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] arguments, Body body)
            throws Throwable {
        Optional<LockedMethod> guarded = methods.find(method, targetClass);
        if (guarded.isEmpty()) {
            return body.proceed(arguments);
        }
        LockedInvocation call = new LockedInvocation(guarded.get(), target, arguments, body);
        return call.results().call(call, acquirer);
    }
}
