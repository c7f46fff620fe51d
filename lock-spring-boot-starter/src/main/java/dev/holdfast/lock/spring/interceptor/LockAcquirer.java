package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.interceptor.LockObservations.LockObservation;
import dev.holdfast.lock.spring.interceptor.LockOperation.LockRequest;
import dev.holdfast.lock.spring.interceptor.Once.AlreadyRan;
import io.micrometer.observation.Observation;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Acquires all locks of a call or none. A lock that an outer call already holds is borrowed from that call, without a request to Redis. */
record LockAcquirer(Supplier<LockClient> client, Supplier<LockObservations> observations) {

    AcquireOutcome acquire(List<LockRequest> requests) {
        AcquireRun run = new AcquireRun(requests, CallerContext.current(), null, true);
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

    /**
     * Acquires the locks without blocking. Canceling the future releases what was acquired. Without a parent, the thread's current observation is the
     * parent.
     */
    CompletableFuture<AcquireOutcome> acquireAsync(
            List<LockRequest> requests, CallerContext caller, @Nullable Observation parent) {
        AcquireRun run = new AcquireRun(requests, caller, parent, false);
        run.result.whenComplete((acquired, failure) -> run.cancelPending());
        run.next();
        return run.result;
    }

    /**
     * Acquires the locks of one call, one after the other. In blocking mode, each step is complete when it returns, so that all steps run on the
     * calling thread.
     */
    private final class AcquireRun {
        private final AcquiredLocks acquired = new AcquiredLocks();
        private final CompletableFuture<AcquireOutcome> result = new CompletableFuture<>();
        private final Iterator<LockRequest> requests;
        private final CallerContext caller;
        private final @Nullable Observation parent;
        private final boolean blocking;
        private volatile @Nullable CompletableFuture<?> pending;

        AcquireRun(List<LockRequest> requests, CallerContext caller, @Nullable Observation parent, boolean blocking) {
            this.requests = requests.iterator();
            this.caller = caller;
            this.parent = parent;
            this.blocking = blocking;
        }

        void next() {
            if (!result.isDone() && requests.hasNext()) {
                guarded(() -> acquire(requests.next()));
            } else if (!result.complete(new AcquireOutcome(acquired, null))) {
                release(new CancellationException());
            }
        }

        private void guarded(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        private void acquire(LockRequest request) {
            CallerContext holders = acquired.over(caller);
            List<String> missing = missing(request, holders);
            Optional<SharedLease> outer = missing.isEmpty()
                    ? holders.covering(client.get(), request.names().get(0), request.kind())
                    : Optional.empty();
            if (outer.isPresent() && outer.get().share()) {
                borrow(request, outer.get());
            } else {
                // A lease that covered a name a moment ago may have ended since.
                acquire(request, missing.isEmpty() ? request.names() : missing);
            }
        }

        private List<String> missing(LockRequest request, CallerContext holders) {
            List<String> missing = request.names().stream()
                    .filter(name ->
                            holders.covering(client.get(), name, request.kind()).isEmpty())
                    .toList();
            for (String name : missing) {
                if (holders.held().stream().anyMatch(shared -> shared.blocks(client.get(), name, request.kind()))) {
                    throw new IllegalMonitorStateException(request.operation().signature()
                            + " needs the write lock of '" + name
                            + "' inside a call that holds its read lock: two such"
                            + " calls would wait for each other. Take the write lock in the outer call");
                }
            }
            return missing;
        }

        private void borrow(LockRequest request, SharedLease outer) {
            // Added first, so that the call leaves the lease whatever happens next.
            acquired.add(new AcquiredLock(request, outer, false));
            Optional<Duration> longer = outer.extensionFor(request.options());
            if (longer.isEmpty()) {
                next();
                return;
            }
            // The extension blocks until Redis answers.
            Executor executor = blocking ? Runnable::run : ForkJoinPool.commonPool();
            await(CompletableFuture.runAsync(() -> outer.lease().extend(longer.get()), executor))
                    .whenComplete((extended, failure) -> {
                        if (failure == null) {
                            next();
                        } else {
                            refuseOrFail(request, LockObservation.NONE, failure);
                        }
                    });
        }

        private void acquire(LockRequest request, List<String> names) {
            LeaseSource lock = request.lock(client.get(), names);
            LockObservation observation = observations.get().start(request, parent);
            Once once = request.operation().once();
            if (once == null) {
                acquire(request, names, lock, observation, null);
            } else {
                LockClient locks = client.get();
                OnceRecord record = new OnceRecord(locks, locks.getRecord(names.get(0)), once);
                step(record.look(blocking, request.operation().waits()), request, observation, nothing -> {
                    acquire(request, names, lock, observation, record);
                });
            }
        }

        private void acquire(
                LockRequest request,
                List<String> names,
                LeaseSource lock,
                LockObservation observation,
                @Nullable OnceRecord record) {
            await(ask(lock, request))
                    .whenComplete((answer, failure) -> guarded(() -> {
                        Lease lease = answer instanceof Optional<?> found ? (Lease) found.orElse(null) : (Lease) answer;
                        if (lease != null) {
                            SharedLease shared = new SharedLease(client.get(), names, request, lease, observation);
                            acquired.add(new AcquiredLock(request, shared, true));
                            beginUnlessPaused(request, shared, record);
                        } else {
                            refuseOrFail(request, observation, failure == null ? request.busy(names) : failure);
                        }
                    }));
        }

        /**
         * Requests the lock. The answer is a lease or an {@code Optional} of one. A call that skips does not need the holder's name, which would cost
         * a round trip.
         */
        private CompletableFuture<?> ask(LeaseSource lock, LockRequest request) {
            AcquireOptions options = request.options();
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

        /** Asked under the lock, so that a call that has waited for it learns of a pause that was set meanwhile. */
        private void beginUnlessPaused(LockRequest request, SharedLease shared, @Nullable OnceRecord record) {
            if (!request.operation().settings().isPausable()) {
                begin(request, shared, record);
                return;
            }
            PauseRecord pauses = new PauseRecord(client.get());
            String name = request.operation().name();
            step(
                    pauses.check(name, request.names().get(0), blocking),
                    request,
                    shared.observation(),
                    notPaused -> begin(request, shared, record));
        }

        /** Another instance may have run it while the call waited for the lock, so the record is read again. */
        private void begin(LockRequest request, SharedLease shared, @Nullable OnceRecord record) {
            Lease lease = shared.lease();
            LockObservation observation = shared.observation();
            if (record == null) {
                own(lease, observation);
                next();
                return;
            }
            step(record.claim(blocking), request, observation, claim -> {
                step(record.write(blocking, lease, claim.atStart(), claim.keep()), request, observation, written -> {
                    shared.begin(new OnceRun(record, lease, claim));
                    own(lease, observation);
                    next();
                });
            });
        }

        private <T> void step(
                CompletableFuture<T> asked, LockRequest request, LockObservation observation, Consumer<T> then) {
            await(asked)
                    .whenComplete((answer, failure) -> guarded(() -> {
                        if (failure == null) {
                            then.accept(answer);
                        } else {
                            refuseOrFail(request, observation, failure);
                        }
                    }));
        }

        private static void own(Lease lease, LockObservation observation) {
            observation.acquired(lease.fencingToken());
            if (observation != LockObservation.NONE) {
                lease.onLost(observation::lost);
            }
        }

        private void refuseOrFail(LockRequest request, LockObservation observation, Throwable failure) {
            Throwable cause = AcquiredLock.cause(failure);
            if (cause instanceof AlreadyRan ran) {
                observation.refused("already-run");
                refuse(request, ran);
            } else if (cause instanceof LockPausedException paused) {
                observation.refused("paused");
                refuse(request, paused);
            } else if (cause instanceof LockNotAcquiredException busy) {
                observation.refused(request.operation().skipsBusy() ? "skipped" : "busy");
                refuse(request, busy);
            } else if (cause instanceof LockUnavailableException unavailable) {
                observation.refused("unavailable");
                if (request.operation().settings().onUnavailable() == OnUnavailable.PROCEED) {
                    next();
                } else {
                    refuse(request, unavailable);
                }
            } else {
                observation.failed(cause);
                fail(cause);
            }
        }

        private void refuse(LockRequest request, LockException reason) {
            release(reason);
            request.operation().history().skipped();
            if (Boolean.TRUE.equals(request.operation().settings().logSkips())) {
                SkippedCall.log(client, request, reason);
            }
            result.complete(AcquireOutcome.refused(request, reason));
        }

        private void fail(Throwable failure) {
            release(failure);
            result.completeExceptionally(failure);
        }

        private void release(Throwable reason) {
            if (blocking) {
                acquired.release(reason);
            } else {
                acquired.releaseAsync(reason);
            }
        }
    }
}
