package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The call that a thread is passing from a proxy to its target. Used only where code is woven: the woven method already runs under the locks of the
 * proxy and must not acquire them again.
 *
 * @param target the object behind the proxy
 * @param method its method
 */
public record ProxiedCall(Object target, Method method) {

    private static final ThreadLocal<@Nullable ProxiedCall> CURRENT = new ThreadLocal<>();

    private static volatile boolean marked;

    /** Marks calls from now on: there is woven code. */
    public static void mark() {
        marked = true;
    }

    static boolean isMarked() {
        return marked;
    }

    /** Runs the rest of the call. */
    @Nullable
    Object proceed(Rest rest) throws Throwable {
        CURRENT.set(this);
        try {
            return rest.proceed();
        } finally {
            CURRENT.remove();
        }
    }

    @FunctionalInterface
    interface Rest {

        @Nullable
        Object proceed() throws Throwable;
    }

    /**
     * Whether a call arrives from its proxy. True once.
     *
     * @param target the object called
     * @param method the method called
     * @return true if the call already runs under its locks
     */
    public static boolean arrives(@Nullable Object target, Method method) {
        ProxiedCall current = CURRENT.get();
        if (current == null || current.target != target || !current.method.equals(method)) {
            return false;
        }
        CURRENT.remove();
        return true;
    }
}
