package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.interceptor.Fallbacks.Fallback;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import org.jspecify.annotations.Nullable;

/** The outcome of acquiring the locks of a call. */
sealed interface Acquisition permits AcquiredLocks, Acquisition.Refusal {

    /**
     * A lock that a call could not acquire. The call holds no other lock either, and its method does not run.
     *
     * @param request the lock
     * @param reason a {@link LockNotAcquiredException} if it is busy, otherwise a {@link dev.holdfast.lock.LockUnavailableException}
     */
    record Refusal(LockRequest request, LockException reason) implements Acquisition {

        /**
         * Answers the call by the policy of the lock.
         *
         * @return a result of the method's return type
         * @throws Throwable the reason, or what a fallback throws
         */
        @Nullable
        Object answer(LockedInvocation call) throws Throwable {
            if (reason instanceof LockNotAcquiredException busy) {
                Fallback fallback = request.operation().fallback();
                if (fallback != null) {
                    return fallback.answer(call, busy);
                }
                if (request.operation().skipsBusy()) {
                    return call.results().skipped();
                }
            } else if (request.terms().onUnavailable() == OnUnavailable.SKIP) {
                return call.results().skipped();
            }
            throw reason;
        }
    }
}
