package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.OnUnavailable;
import org.jspecify.annotations.Nullable;

/**
 * A lock that a call did not get; it holds none by then, and its body does not run.
 *
 * @param request the lock
 * @param reason a {@link LockNotAcquiredException} where it is busy, otherwise a {@link dev.holdfast.lock.LockUnavailableException}
 */
record Refusal(LockRequest request, LockException reason) implements Entry {

    /**
     * What the call comes to, by the policy of the lock that was refused.
     *
     * @return what the method's caller gets; for an asynchronous method that is a stage or a publisher
     * @throws Throwable the reason, or whatever a handler throws
     */
    @Nullable
    Object answer(GuardedCall call) throws Throwable {
        if (reason instanceof LockNotAcquiredException busy) {
            Fallback handler = request.operation().fallback();
            if (handler != null) {
                return handler.answer(call, busy);
            }
            if (request.operation().skipsBusy()) {
                return call.guarded().results().skipped();
            }
        } else if (request.terms().onUnavailable() == OnUnavailable.SKIP) {
            return call.guarded().results().skipped();
        }
        throw reason;
    }
}
