package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import org.jspecify.annotations.Nullable;

/** The locks of a call, or the refusal of one of them. After a refusal, the call holds no lock and its method does not run. */
record AcquireOutcome(AcquiredLocks locks, @Nullable Refusal refusal) {

    /** The lock that was busy or unavailable, or whose tick has run, and why. */
    record Refusal(LockRequest request, LockException reason) {}

    static AcquireOutcome refused(LockRequest request, LockException reason) {
        return new AcquireOutcome(new AcquiredLocks(), new Refusal(request, reason));
    }
}
