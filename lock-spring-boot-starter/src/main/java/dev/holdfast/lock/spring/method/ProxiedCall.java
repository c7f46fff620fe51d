package dev.holdfast.lock.spring.method;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** The call from a proxy to its target. The target's method already runs under the proxy's locks and must not acquire them again. */
public record ProxiedCall(Object target, Method method) {

    private static final ThreadLocal<@Nullable ProxiedCall> CURRENT = new ThreadLocal<>();
    private static volatile boolean woven;

    /** Announces that code is woven, so that the calls of all objects are marked, and not only those of a {@link LockedObject}. */
    public static void mark() {
        woven = true;
    }

    /** Returns whether code is woven, which takes its locks on every object. */
    public static boolean isWoven() {
        return woven;
    }

    /** Returns whether the target's methods ask if they are called by a proxy. */
    public static boolean isKnownTo(Object target) {
        return woven || target instanceof LockedObject;
    }

    /** Runs the rest of the call. */
    public @Nullable Object proceed(MethodBody rest, @Nullable Object[] arguments) throws Throwable {
        CURRENT.set(this);
        try {
            return rest.proceed(arguments);
        } finally {
            CURRENT.remove();
        }
    }

    /** Returns true, once, if this call comes from its proxy and therefore already runs under its locks. */
    public static boolean arrives(@Nullable Object target, Method method) {
        ProxiedCall current = CURRENT.get();
        boolean arrives = current != null && current.target == target && current.method.equals(method);
        if (arrives) {
            CURRENT.remove();
        }
        return arrives;
    }
}
