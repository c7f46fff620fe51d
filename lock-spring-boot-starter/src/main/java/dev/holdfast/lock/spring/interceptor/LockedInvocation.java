package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import dev.holdfast.lock.spring.interceptor.LockOperationSource.LockedMethod;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call of an annotated method, and the locks that it needs. */
final class LockedInvocation {

    private final LockedMethod locked;
    private final @Nullable Object target;
    private final @Nullable Object[] arguments;
    private final LockGuard.Body body;

    LockedInvocation(LockedMethod locked, @Nullable Object target, @Nullable Object[] arguments, LockGuard.Body body) {
        this.locked = locked;
        this.target = target;
        this.arguments = arguments;
        this.body = body;
    }

    @Nullable
    Object target() {
        return target;
    }

    @Nullable
    Object[] arguments() {
        return arguments;
    }

    ResultHandling results() {
        return locked.results();
    }

    /** The locks that the call needs, in the order in which they are acquired. Empty if all of them are switched off. */
    List<LockRequest> requests() {
        List<LockRequest> requests = new ArrayList<>(locked.operations().size());
        for (LockOperation operation : locked.operations()) {
            if (operation.terms().enabled()) {
                requests.add(new LockRequest(operation, operation.lockNames(target, arguments)));
            }
        }
        if (requests.size() > 1) {
            requests.sort(LockRequest.ORDER);
        }
        return requests;
    }

    /** Runs the method. Its parameter for the lease, if it has one, receives this lease; without a lease it keeps the caller's argument. */
    @Nullable
    Object proceed(@Nullable Lease lease) throws Throwable {
        int index = locked.leaseParameter();
        if (index < 0 || lease == null) {
            return body.proceed(arguments);
        }
        @Nullable Object[] filled = arguments.clone();
        filled[index] = lease;
        return body.proceed(filled);
    }
}
