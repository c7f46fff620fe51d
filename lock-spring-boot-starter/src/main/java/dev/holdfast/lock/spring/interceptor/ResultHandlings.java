package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;

/** Which handling a method's result needs. */
final class ResultHandlings {

    private ResultHandlings() {}

    static ResultHandling of(Method method) {
        return new ImmediateResults(method.getReturnType());
    }
}
