package dev.holdfast.lock.spring.interceptor;

import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs a method under the locks that it declares. Whatever intercepts the method, a proxy or woven code, calls this. */
public final class LockGuard {

    private final LockOperationSource methods;
    private final Entrance entrance;

    LockGuard(LockOperationSource methods, Entrance entrance) {
        this.methods = methods;
        this.entrance = entrance;
    }

    /**
     * Takes the method's locks, runs its body, gives the locks back. A method that declares none just runs.
     *
     * @param method the method, as it was called
     * @param targetClass the class of the object behind it
     * @param target that object
     * @param arguments the call's arguments
     * @param body the rest of the call
     * @return what the caller gets
     * @throws Throwable what the body throws, or what became of the locks
     */
    public @Nullable Object call(
            Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] arguments, Body body)
            throws Throwable {
        Optional<LockedMethod> guarded = methods.find(method, targetClass);
        if (guarded.isEmpty()) {
            return body.proceed(arguments);
        }
        GuardedCall call = new GuardedCall(guarded.get(), target, arguments, body);
        return guarded.get().results().call(call, entrance);
    }
}
