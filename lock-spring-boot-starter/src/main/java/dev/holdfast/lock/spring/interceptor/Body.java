package dev.holdfast.lock.spring.interceptor;

import org.jspecify.annotations.Nullable;

/** What runs under the locks: the rest of a method invocation. */
@FunctionalInterface
public interface Body {

    /**
     * Runs it.
     *
     * @param arguments the method's arguments
     * @return what the method returns
     * @throws Throwable what the method throws
     */
    @Nullable
    Object proceed(@Nullable Object[] arguments) throws Throwable;
}
