package dev.holdfast.lock.spring.call;

import static dev.holdfast.lock.spring.call.AroundLock.DONE;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.InvalidLockKeyException;
import dev.holdfast.lock.spring.call.AcquiredLocks.AcquiredLock;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.call.LockFeature.LockedOperation;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.method.MethodLocks.MethodBody;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
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
        Supplier<LockClient> client,
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
    List<LockCall> requests(@Nullable Object context) {
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
        return new LockedInvocation(client, locks, leaseParameter, target, others, body, proxied);
    }

    public LockedInvocation with(MethodBody other) {
        return new LockedInvocation(client, locks, leaseParameter, target, arguments, other, proxied);
    }

    /** Acquires all locks of the call, or none. A lock that an outer call already holds is borrowed from that call, without a request to Redis. */
    AcquiredLocks acquire() {
        AcquireRun run = new AcquireRun(this, null, CallerContext.current(), true);
        run.next();
        try {
            return run.result.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    /** Acquires the locks without blocking. Canceling the future releases what was acquired. */
    CompletableFuture<AcquiredLocks> acquireAsync(CallerContext caller, Object context) {
        AcquireRun run = new AcquireRun(this, context, caller, false);
        run.result.whenComplete((acquired, failure) -> run.cancelPending());
        run.next();
        return run.result;
    }

    /**
     * Acquires the locks of one call, one after the other. In blocking mode, each step is complete when it returns, so that all steps run on the
     * calling thread.
     */
    private static final class AcquireRun {
        private final AcquiredLocks acquired = new AcquiredLocks(null);
        private final CompletableFuture<AcquiredLocks> result = new CompletableFuture<>();
        private final LockedInvocation call;
        private final Iterator<LockCall> requests;
        private final CallerContext caller;
        private final boolean blocking;
        private volatile @Nullable CompletableFuture<?> pending;

        AcquireRun(LockedInvocation call, @Nullable Object context, CallerContext caller, boolean blocking) {
            this.call = call;
            this.requests = call.requests(context).iterator();
            this.caller = caller;
            this.blocking = blocking;
        }

        void next() {
            if (!result.isDone() && requests.hasNext()) {
                guarded(() -> acquire(requests.next()));
            } else if (!result.complete(acquired)) {
                acquired.release(new CancellationException(), blocking);
            }
        }

        private void guarded(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        private void acquire(LockCall request) {
            CallerContext holders = acquired.over(caller);
            if (holders.held().isEmpty()) {
                acquire(request, request.names());
                return;
            }
            List<String> missing = missing(request, holders);
            Optional<SharedLease> outer = missing.isEmpty()
                    ? holders.covering(
                            request.client(),
                            request.names().get(0),
                            request.operation().kind())
                    : Optional.empty();
            if (outer.isPresent() && outer.get().share()) {
                borrow(request, outer.get());
            } else {
                // A lease that covered a name a moment ago may have ended since.
                acquire(request, missing.isEmpty() ? request.names() : missing);
            }
        }

        private List<String> missing(LockCall request, CallerContext holders) {
            List<String> missing = request.names().stream()
                    .filter(name -> holders.covering(
                                    request.client(), name, request.operation().kind())
                            .isEmpty())
                    .toList();
            for (String name : missing) {
                if (holders.held().stream()
                        .anyMatch(shared -> shared.blocks(
                                request.client(), name, request.operation().kind()))) {
                    throw new IllegalMonitorStateException(request.operation().signature()
                            + " needs the write lock of '" + name
                            + "' inside a call that holds its read lock: two such"
                            + " calls would wait for each other. Take the write lock in the outer call");
                }
            }
            return missing;
        }

        private void borrow(LockCall request, SharedLease outer) {
            // Added first, so that the call leaves the lease whatever happens next.
            acquired.add(new AcquiredLock(request, outer, false));
            Optional<Duration> longer = outer.extensionFor(request.operation().options());
            if (longer.isEmpty()) {
                next();
                return;
            }
            // The extension blocks until Redis answers. The method may run on the same thread after it.
            Executor executor = blocking ? Runnable::run : StarterThreads.threadFor("holdfast-extension");
            await(CompletableFuture.runAsync(() -> outer.lease().extend(longer.get()), executor))
                    .whenComplete((extended, failure) -> guarded(() -> {
                        if (failure == null) {
                            next();
                        } else {
                            // Nothing is around a borrowed lock, unless the call does not get it.
                            refuseOrFail(request, call.around(request), failure);
                        }
                    }));
        }

        private void acquire(LockCall request, List<String> names) {
            LeaseSource lock = source(request, names);
            List<AroundLock> around = call.around(request);
            Runnable ask = () -> await(ask(lock, request))
                    .whenComplete((answer, failure) -> guarded(() -> {
                        Lease lease = answer instanceof Optional<?> found ? (Lease) found.orElse(null) : (Lease) answer;
                        if (lease != null) {
                            held(new SharedLease(names, request, lease, around));
                        } else {
                            refuseOrFail(request, around, failure == null ? busy(request, names) : failure);
                        }
                    }));
            each(
                    around,
                    feature -> feature.beforeRequest(blocking),
                    ask,
                    failure -> refuseOrFail(request, around, failure));
        }

        private LeaseSource source(LockCall request, List<String> names) {
            LockOperation operation = request.operation();
            try {
                LeaseSource lock = source(request.client(), operation, names);
                if (lock == null) {
                    throw new IllegalStateException(
                            "The lock client " + request.client().getClass().getName() + " returned no lock '"
                                    + names.get(0)
                                    + "'. If it is a mock, use the client in memory of lock-test instead");
                }
                return lock;
            } catch (IllegalArgumentException e) {
                Object expression = operation.key() == null ? operation.name() : operation.key();
                String problem = "gives no name for a lock: " + e.getMessage();
                throw new InvalidLockKeyException(operation.signature(), expression.toString(), problem, e);
            }
        }

        private static LeaseSource source(LockClient client, LockOperation operation, List<String> names) {
            String first = names.get(0);
            if (operation.permits() > 0) {
                return operation.kind().isFair()
                        ? client.getFairSemaphore(first, operation.permits())
                        : client.getSemaphore(first, operation.permits());
            }
            return names.size() == 1 ? client.getLock(first, operation.kind()) : client.getMultiLock(names);
        }

        private static LockNotAcquiredException busy(LockCall request, List<String> names) {
            Duration waited = request.operation().options().givenWait().orElse(Duration.ZERO);
            return new LockNotAcquiredException(names.get(0), waited, null, null);
        }

        private void held(SharedLease shared) {
            Lease lease = shared.lease();
            acquired.add(new AcquiredLock(shared.call(), shared, true));
            Runnable acquired = () -> {
                shared.around().forEach(feature -> feature.acquired(lease));
                next();
            };
            each(shared.around(), feature -> feature.whenHeld(lease, blocking), acquired, failure -> {
                Refusal refusal = Refusal.of(shared.call().operation(), AroundLock.cause(failure));
                if (refusal != null && refusal.proceeds()) {
                    // Redis has failed after the grant, so the method runs under the lock.
                    acquired.run();
                } else {
                    refuseOrFail(shared.call(), shared.around(), failure);
                }
            });
        }

        /** Lets one feature after another take its step. Any of them can refuse the call. */
        private void each(
                List<AroundLock> around,
                Function<AroundLock, CompletableFuture<?>> step,
                Runnable then,
                Consumer<Throwable> otherwise) {
            CompletableFuture<?> all = DONE;
            for (AroundLock feature : around) {
                all = all.thenCompose(done -> step.apply(feature));
            }
            await(all)
                    .whenComplete((done, failure) -> guarded(() -> {
                        if (failure == null) {
                            then.run();
                        } else {
                            otherwise.accept(failure);
                        }
                    }));
        }

        /**
         * Requests the lock. The answer is a lease or an {@code Optional} of one. A call that skips does not need the holder's name, which would cost
         * a round trip.
         */
        private CompletableFuture<?> ask(LeaseSource lock, LockCall request) {
            AcquireOptions options = request.operation().options();
            boolean skips = request.operation().skipsBusy();
            try {
                if (blocking) {
                    return CompletableFuture.completedFuture(skips ? lock.tryAcquire(options) : lock.acquire(options));
                }
                return (skips ? lock.tryAcquireAsync(options) : lock.acquireAsync(options)).toCompletableFuture();
            } catch (RuntimeException | Error e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private <T> CompletableFuture<T> await(CompletableFuture<T> asked) {
            pending = asked;
            // The result may have been canceled before 'pending' was set.
            cancelPending();
            return asked;
        }

        void cancelPending() {
            CompletableFuture<?> asked = pending;
            if (result.isCancelled() && asked != null) {
                asked.cancel(false);
            }
        }

        private void refuseOrFail(LockCall request, List<AroundLock> around, Throwable failure) {
            Throwable cause = AroundLock.cause(failure);
            Refusal refusal = Refusal.of(request.operation(), cause);
            if (refusal == null) {
                around.forEach(SharedLease.guarded(feature -> feature.failed(cause)));
                fail(cause);
                return;
            }
            around.forEach(SharedLease.guarded(feature -> feature.refused(refusal)));
            if (refusal.proceeds()) {
                next();
            } else {
                refusal.logSkip();
                acquired.release(refusal.reason(), blocking);
                result.complete(new AcquiredLocks(refusal));
            }
        }

        private void fail(Throwable failure) {
            acquired.release(failure, blocking);
            result.completeExceptionally(failure);
        }
    }
}
