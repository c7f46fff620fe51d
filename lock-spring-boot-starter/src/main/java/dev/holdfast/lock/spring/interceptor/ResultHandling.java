package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.interceptor.AcquireOutcome.Refusal;
import dev.holdfast.lock.spring.interceptor.Fallbacks.Fallback;
import org.jspecify.annotations.Nullable;

/** How long a call holds its locks, by what its method returns: until it returns, or until the work behind its result ends. */
interface ResultHandling {

    /** Acquires the locks, runs the method, and releases the locks when its work is done. Returns what the caller receives. */
    @Nullable
    Object call(LockedInvocation call, LockAcquirer acquirer) throws Throwable;

    @Nullable
    Object skipped();

    default boolean canSkip() {
        return true;
    }

    /** Whether the thread that acquires the lock runs the method to its end, so that a loss can interrupt it. */
    default boolean staysOnThread() {
        return false;
    }

    /** What the caller of a refused call receives: the answer of its fallback, or nothing if it skips. Otherwise throws the refusal. */
    default @Nullable Object answer(LockedInvocation call, Refusal refusal) throws Throwable {
        LockOperation operation = refusal.request().operation();
        boolean skips = operation.settings().onUnavailable() == OnUnavailable.SKIP;
        if (refusal.reason() instanceof LockNotAcquiredException busy) {
            Fallback fallback = operation.fallback();
            if (fallback != null) {
                return fallback.handler().answer(call.target(), call.arguments(), busy);
            }
            skips = operation.skipsBusy();
        }
        if (skips) {
            return skipped();
        }
        throw refusal.reason();
    }
}
