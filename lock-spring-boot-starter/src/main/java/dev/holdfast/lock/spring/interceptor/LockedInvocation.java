package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import dev.holdfast.lock.spring.method.MethodBody;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call of an annotated method. The target is the object behind the proxy, and the body is the rest of the call. Instances are never compared. */
@SuppressWarnings("ArrayRecordComponent")
record LockedInvocation(
        List<LockOperation> operations,
        int leaseParameter,
        @Nullable Object target,
        @Nullable Object[] arguments,
        MethodBody body) {

    /** Returns the locks that the call needs, in the order in which it acquires them. Empty if all of them are switched off. */
    List<LockRequest> requests() {
        return operations.stream()
                .filter(operation -> Boolean.TRUE.equals(operation.settings().enabled()))
                .map(operation -> new LockRequest(operation, operation.lockNames(target, arguments)))
                .sorted(LockRequest.ORDER)
                .toList();
    }

    /** Runs the method. If it has a parameter for the lease, passes this lease; if the lease is null, the caller's argument is kept. */
    @Nullable
    Object proceed(@Nullable Lease lease) throws Throwable {
        if (leaseParameter < 0 || lease == null) {
            return body.proceed(arguments);
        }
        @Nullable Object[] filled = arguments.clone();
        filled[leaseParameter] = lease;
        return body.proceed(filled);
    }

    LockedInvocation with(@Nullable Object[] others) {
        return new LockedInvocation(operations, leaseParameter, target, others, body);
    }
}
