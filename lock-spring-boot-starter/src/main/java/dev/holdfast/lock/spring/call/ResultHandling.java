package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.declaration.Fallback;
import dev.holdfast.lock.spring.method.MethodLocks.MethodBody;
import org.jspecify.annotations.Nullable;

/** Decides, by the type of a method's result, how long a call holds its locks: until the method returns, or until the work behind its result ends. */
interface ResultHandling {

    /** Acquires the locks, runs the method, and releases the locks when its work is done. Returns the result for the caller. */
    @Nullable
    Object call(LockedInvocation call) throws Throwable;

    /** Does the same for a call that has come past all proxies. The body is the method itself. */
    default @Nullable Object callDirectly(LockedInvocation call) throws Throwable {
        return call(call);
    }

    /** Runs the body at the end of a proxy's advice. */
    default @Nullable Object atEnd(@Nullable Object[] arguments, MethodBody body) throws Throwable {
        return body.proceed(arguments);
    }

    @Nullable
    Object skipped();

    default boolean canSkip() {
        return true;
    }

    /** Returns whether the thread that acquires the lock runs the method to its end, so that a loss can interrupt it. */
    default boolean staysOnThread() {
        return false;
    }

    /** Returns the result of a refused call: that of its fallback, or an empty one if it skips. Throws the refusal in all other cases. */
    default @Nullable Object answer(LockedInvocation call, Refusal refusal) throws Throwable {
        Fallback fallback = refusal.operation().fallback();
        if (fallback != null && refusal.reason() instanceof LockNotAcquiredException busy) {
            return fallback.answer(call.target(), call.arguments(), busy);
        }
        if (refusal.skips()) {
            return skipped();
        }
        throw refusal.reason();
    }
}
