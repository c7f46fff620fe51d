package dev.holdfast.lock.spring.interceptor;

import org.jspecify.annotations.Nullable;

/** The rest of a method invocation. Returns and throws what the method does. */
@FunctionalInterface
public interface MethodBody {
    @Nullable
    Object proceed(@Nullable Object[] arguments) throws Throwable;
}
