package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.call.AcquiredLocks.AcquiredLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature.LockedOperation;
import dev.holdfast.lock.spring.method.MethodLocks.MethodBody;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * One call of an annotated method. The target is the object behind the proxy, and the body is the rest of the call. Instances are never compared.
 *
 * @param proxied what the proxy has been called with; null if the call has come past all proxies. All attempts of an advice that repeats the call share
 *     its attributes
 */
@SuppressWarnings("ArrayRecordComponent")
record LockedInvocation(
        List<LockedOperation> locks,
        int leaseParameter,
        @Nullable Object target,
        @Nullable Object[] arguments,
        MethodBody body,
        @Nullable ProxyMethodInvocation proxied) {

    /** The order in which every call acquires its locks, so that two calls cannot wait for each other. */
    private static final Comparator<LockCall> ORDER = Comparator.comparing(
                    (LockCall call) -> call.names().get(0))
            .thenComparing(call -> call.operation().kind());

    /** Returns the locks that the call needs, in the order in which it acquires them. Empty if all of them are bypassed. */
    List<LockCall> requests(Supplier<LockClient> client, @Nullable Object context) {
        return locks.stream()
                .filter(lock -> !Boolean.TRUE.equals(lock.operation().settings().bypass()))
                .map(lock -> new LockCall(
                        lock.operation(),
                        lock.operation().lockNames(target, arguments),
                        client.get(),
                        context,
                        expression -> expression.value(target, arguments),
                        proxied))
                .sorted(ORDER)
                .toList();
    }

    /** Returns what features do around one of the locks. */
    List<AroundLock> around(LockCall request) {
        return locks.stream()
                .filter(lock -> lock.operation().equals(request.operation()))
                .flatMap(lock -> lock.features().stream())
                .map(feature -> feature.around(request))
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns the caller's locks, and those that a feature keeps for it. */
    public CallerContext withKept(CallerContext caller, Object context) {
        return locks.stream()
                .flatMap(lock -> lock.features().stream())
                .distinct()
                .flatMap(feature -> feature.kept(context).stream())
                // Features are given no others.
                .map(kept -> ((AcquiredLock) kept).shared())
                .reduce(caller, CallerContext::with, (one, other) -> other);
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
