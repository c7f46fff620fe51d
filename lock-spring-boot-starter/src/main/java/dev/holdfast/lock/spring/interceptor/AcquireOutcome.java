package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import org.jspecify.annotations.Nullable;

/** The locks of a call, or the refusal of one of them: then the call holds none, and its method does not run. */
record AcquireOutcome(AcquiredLocks locks, @Nullable Refusal refusal) {

    /** A lock that is busy or unavailable. */
    record Refusal(LockRequest request, LockException reason) {}

    static AcquireOutcome refused(LockRequest request, LockException reason) {
        return new AcquireOutcome(new AcquiredLocks(), new Refusal(request, reason));
    }
}
