package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The call with which a thread is on its way from a proxy to its target, noted where code is woven: the woven method runs under the proxy's
 * locks already and must not take them again.
 *
 * @param target the object behind the proxy
 * @param method its method
 */
public record ProxiedCall(Object target, Method method) {

    private static final ThreadLocal<@Nullable ProxiedCall> UNDER_WAY = new ThreadLocal<>();

    private static volatile boolean noted;

    /** From now on calls are noted. */
    public static void note() {
        noted = true;
    }

    static boolean isNoted() {
        return noted;
    }

    /** Runs the rest of the call. */
    @Nullable
    Object proceed(Rest rest) throws Throwable {
        UNDER_WAY.set(this);
        try {
            return rest.proceed();
        } finally {
            UNDER_WAY.remove();
        }
    }

    @FunctionalInterface
    interface Rest {

        @Nullable
        Object proceed() throws Throwable;
    }

    /**
     * Whether a proxy has just let this call through; true once.
     *
     * @param target the object called
     * @param method the method called
     * @return true if it runs under its locks already
     */
    public static boolean arrives(@Nullable Object target, Method method) {
        ProxiedCall underWay = UNDER_WAY.get();
        if (underWay == null || underWay.target != target || !underWay.method.equals(method)) {
            return false;
        }
        UNDER_WAY.remove();
        return true;
    }
}
