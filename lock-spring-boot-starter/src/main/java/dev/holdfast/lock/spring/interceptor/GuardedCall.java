package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call of an annotated method: what it asks for, and the body that runs once it has it. */
final class GuardedCall {

    private final LockedMethod guarded;
    private final @Nullable Object target;
    private final @Nullable Object[] arguments;
    private final Body body;

    GuardedCall(LockedMethod guarded, @Nullable Object target, @Nullable Object[] arguments, Body body) {
        this.guarded = guarded;
        this.target = target;
        this.arguments = arguments;
        this.body = body;
    }

    LockedMethod guarded() {
        return guarded;
    }

    @Nullable
    Object target() {
        return target;
    }

    @Nullable
    Object[] arguments() {
        return arguments;
    }

    /** The locks it asks for, in the order in which they are taken. Empty where all of them are switched off. */
    List<LockRequest> requests() {
        List<LockOperation> operations = guarded.operations();
        if (operations.size() == 1) {
            LockOperation operation = operations.get(0);
            return operation.terms().enabled() ? List.of(request(operation)) : List.of();
        }
        List<LockRequest> requests = new ArrayList<>(operations.size());
        for (LockOperation operation : operations) {
            if (operation.terms().enabled()) {
                requests.add(request(operation));
            }
        }
        requests.sort(LockRequest.ORDER);
        return requests;
    }

    private LockRequest request(LockOperation operation) {
        return new LockRequest(operation, operation.lockNames(target, arguments));
    }

    /** Runs the body. Its parameter for the lease, if it has one, gets this one; without a lease it keeps what the caller passed. */
    @Nullable
    Object proceed(@Nullable Lease lease) throws Throwable {
        int place = guarded.leaseParameter();
        if (place < 0 || lease == null) {
            return body.proceed(arguments);
        }
        @Nullable Object[] filled = arguments.clone();
        filled[place] = lease;
        return body.proceed(filled);
    }
}
