package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.method.MethodBody;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * One call of an annotated method. The target is the object behind the proxy, and the body is the rest of the call. Instances are never compared.
 *
 * @param proxied what the proxy has been called with; null if the call has come past all proxies. All attempts of an advice that repeats the call share
 *     its attributes
 */
@SuppressWarnings("ArrayRecordComponent")
public record LockedInvocation(
        List<LockedOperation> locks,
        int leaseParameter,
        @Nullable Object target,
        @Nullable Object[] arguments,
        MethodBody body,
        @Nullable ProxyMethodInvocation proxied) {

    /** One lock that a call needs, and what features do around it. If it has several names in Redis, they form one lock. */
    public record LockRequest(
            LockOperation operation,
            List<AroundOperation> around,
            List<String> names,
            Function<KeyExpression, @Nullable Object> value,
            @Nullable ProxyMethodInvocation proxied) {
        /** The order in which every call acquires its locks, so that two calls cannot wait for each other. */
        static final Comparator<LockRequest> ORDER = Comparator.comparing(
                        (LockRequest request) -> request.names().get(0))
                .thenComparing(request -> request.operation().kind());
    }

    /** Returns the locks that the call needs, in the order in which it acquires them. Empty if all of them are bypassed. */
    public List<LockRequest> requests() {
        return locks.stream()
                .filter(lock -> !Boolean.TRUE.equals(lock.operation().settings().bypass()))
                .map(lock -> new LockRequest(
                        lock.operation(),
                        lock.around(),
                        lock.operation().lockNames(target, arguments),
                        expression -> expression.value(target, arguments),
                        proxied))
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
        return new LockedInvocation(locks, leaseParameter, target, others, body, proxied);
    }

    public LockedInvocation with(MethodBody other) {
        return new LockedInvocation(locks, leaseParameter, target, arguments, other, proxied);
    }
}
