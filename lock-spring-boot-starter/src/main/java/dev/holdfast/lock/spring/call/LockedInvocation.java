package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.method.MethodBody;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call of an annotated method. The target is the object behind the proxy, and the body is the rest of the call. Instances are never compared. */
@SuppressWarnings("ArrayRecordComponent")
public record LockedInvocation(
        List<LockedOperation> locks,
        int leaseParameter,
        @Nullable Object target,
        @Nullable Object[] arguments,
        MethodBody body) {

    /** Returns the locks that the call needs, in the order in which it acquires them. Empty if all of them are switched off. */
    public List<LockRequest> requests() {
        return locks.stream()
                .filter(lock -> Boolean.TRUE.equals(lock.operation().settings().enabled()))
                .map(lock -> new LockRequest(
                        lock,
                        lock.operation().lockNames(target, arguments),
                        expression -> expression.value(target, arguments)))
                .sorted(LockRequest.ORDER)
                .toList();
    }

    /** Runs the method. If it has a parameter for the lease, passes this lease; if the lease is null, the caller's argument is kept. */
    @Nullable
    public Object proceed(@Nullable Lease lease) throws Throwable {
        if (leaseParameter < 0 || lease == null) {
            return body.proceed(arguments);
        }
        @Nullable Object[] filled = arguments.clone();
        filled[leaseParameter] = lease;
        return body.proceed(filled);
    }

    public LockedInvocation with(@Nullable Object[] others) {
        return new LockedInvocation(locks, leaseParameter, target, others, body);
    }

    public LockedInvocation with(MethodBody other) {
        return new LockedInvocation(locks, leaseParameter, target, arguments, other);
    }
}
