package dev.holdfast.lock.spring.method;

import org.jspecify.annotations.Nullable;

/** The rest of a method invocation. It returns and throws what the method returns and throws. */
@FunctionalInterface
public interface MethodBody {
    @Nullable
    Object proceed(@Nullable Object[] arguments) throws Throwable;
}
