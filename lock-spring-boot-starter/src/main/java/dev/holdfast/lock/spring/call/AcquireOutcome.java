package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.call.AroundLock.RefusedByFeature;
import dev.holdfast.lock.spring.declaration.LockOperation;
import org.jspecify.annotations.Nullable;

/** The locks of a call, or the refusal of one of them. After a refusal, the call holds no lock and its method does not run. */
public record AcquireOutcome(AcquiredLocks locks, @Nullable Refusal refusal) {

    /**
     * The lock that the call did not get, and why.
     *
     * @param outcome the word for it in observations
     * @param skips whether the call returns an empty result
     * @param isBusy whether the lock was held
     */
    public record Refusal(LockRequest request, LockException reason, String outcome, boolean skips, boolean isBusy) {

        /** Returns the refusal that a failure means; null if it is a failure. */
        static @Nullable Refusal of(LockRequest request, Throwable failure) {
            LockOperation operation = request.operation();
            if (failure instanceof RefusedByFeature refused) {
                return new Refusal(request, refused.reason, refused.outcome, refused.skips, false);
            }
            if (failure instanceof LockNotAcquiredException busy) {
                boolean skips = operation.skipsBusy();
                return new Refusal(request, busy, skips ? "skipped" : "busy", skips, true);
            }
            if (failure instanceof LockUnavailableException unavailable) {
                boolean skips = operation.settings().onUnavailable() == OnUnavailable.SKIP;
                return new Refusal(request, unavailable, "unavailable", skips, false);
            }
            return null;
        }

        /** Returns whether the method runs without this lock. */
        public boolean proceeds() {
            return reason instanceof LockUnavailableException
                    && request.operation().settings().onUnavailable() == OnUnavailable.PROCEED;
        }
    }

    static AcquireOutcome refused(Refusal refusal) {
        return new AcquireOutcome(new AcquiredLocks(), refusal);
    }
}
