package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The locks of a call, in the order in which it acquired them. Empty if the method runs without a lock. */
final class AcquiredLocks {

    private static final RateLimitedLog LOG = new RateLimitedLog(LogFactory.getLog(AcquiredLocks.class));
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(2);

    private final List<AcquiredLock> locks = new ArrayList<>(1);
    private final List<AcquiredLock> own = new ArrayList<>(1);
    private final @Nullable Refusal refusal;

    AcquiredLocks(@Nullable Refusal refusal) {
        this.refusal = refusal;
    }

    /** Returns why the call does not get one of its locks; null if it has them all. After a refusal, it holds none, and its method does not run. */
    public @Nullable Refusal refusal() {
        return refusal;
    }

    void add(AcquiredLock lock) {
        locks.add(lock);
        if (lock.own()) {
            own.add(lock);
        }
    }

    /** Returns the lease of the last lock; null if the method runs without a lock. */
    @Nullable
    public Lease lease() {
        return locks.isEmpty() ? null : locks.get(locks.size() - 1).lease();
    }

    List<AcquiredLock> all() {
        return locks;
    }

    public CallerContext over(CallerContext outer) {
        CallerContext context = outer;
        for (AcquiredLock lock : own) {
            context = context.with(lock.shared());
        }
        return context.withLease(lease());
    }

    /** Makes the locks, the lease and what is around them the current ones of this thread until the scope is closed. */
    public LockContext.Scope enter() {
        own.forEach(lock -> lock.shared().around().forEach(feature -> feature.beforeMethod(lock)));
        Deque<LockContext.Scope> scopes = new ArrayDeque<>(3);
        try {
            for (AcquiredLock lock : own) {
                SharedLease shared = lock.shared();
                shared.enter();
                CallerContext.enter(shared);
                scopes.push(() -> {
                    if (!shared.isKeptByTransaction()) {
                        CallerContext.leave(shared);
                    }
                });
                shared.around().forEach(feature -> scopes.push(feature.enter()));
            }
            // Done even if this call has no lock, because the lease of an outer call does not protect it.
            scopes.push(LockContext.enter(lease()));
            for (AcquiredLock lock : locks) {
                if (lock.interruptsOnLoss()) {
                    scopes.push(lock.shared().interruptOnLoss());
                }
            }
            return () -> closeAll(scopes);
        } catch (RuntimeException | Error e) {
            closeAll(scopes);
            throw e;
        }
    }

    /** Closes all scopes, whatever one of them throws: the thread would keep the others. */
    private static void closeAll(Deque<LockContext.Scope> scopes) {
        scopes.forEach(SharedLease.guarded(LockContext.Scope::close));
    }

    /** Adds what the method's reactive context needs for the locks that this call acquired. The innermost lock comes last. */
    public void carry(BiConsumer<Object, Object> context) {
        own.forEach(lock -> lock.shared().around().forEach(feature -> feature.carry(context)));
    }

    /**
     * Releases the locks, the last one first. Never fails. The answer is what the call must throw: the method's own failure, or a loss. In blocking
     * mode, it is complete.
     */
    public CompletableFuture<@Nullable Throwable> release(@Nullable Throwable failure, boolean blocking) {
        if (failure != null) {
            own.forEach(lock -> lock.shared().threw(failure));
        }
        CompletableFuture<@Nullable Throwable> outcome = CompletableFuture.completedFuture(failure);
        for (int i = locks.size() - 1; i >= 0; i--) {
            outcome = outcome.thenCombine(outcomeOf(locks.get(i), failure != null, blocking), this::merge);
        }
        return outcome;
    }

    private static CompletableFuture<@Nullable Throwable> outcomeOf(
            AcquiredLock lock, boolean failed, boolean blocking) {
        try {
            return lock.release(failed, blocking).handle((lost, failure) -> failure == null ? lost : failure);
        } catch (RuntimeException | Error e) {
            Throwable thrown = e;
            return CompletableFuture.completedFuture(thrown);
        }
    }

    private @Nullable Throwable merge(@Nullable Throwable outcome, @Nullable Throwable later) {
        if (outcome == null || later == null || later == outcome) {
            return outcome == null ? later : outcome;
        }
        if (outcome instanceof InterruptedException
                && later instanceof LeaseLostException
                && locks.stream().anyMatch(AcquiredLock::interruptsOnLoss)) {
            // The loss caused the interrupt, so the caller receives the loss.
            later.addSuppressed(outcome);
            return later;
        }
        outcome.addSuppressed(later);
        return outcome;
    }

    /** One lock of one call. The call either acquired the lock (it is its own) or borrows it from the call around it. */
    public record AcquiredLock(LockCall call, SharedLease shared, boolean own) implements AroundLock.HeldLock {

        Lease lease() {
            return own ? shared.lease() : shared.borrowed();
        }

        @Override
        public LockOperation operation() {
            return call.operation();
        }

        @Override
        public boolean share() {
            return shared.share();
        }

        @Override
        public void keepOnThread() {
            shared.keepByTransaction();
        }

        @Override
        public void leaveThread() {
            CallerContext.leave(shared);
        }

        @Override
        public boolean isHeld() {
            return shared.lease().isHeld();
        }

        boolean interruptsOnLoss() {
            return call.operation().settings().onLost() == OnLost.INTERRUPT;
        }

        /**
         * Leaves the lease; the last sharer releases it. In blocking mode, the answer is complete. Otherwise, if Redis does not answer in time, it
         * completes and lets the release continue in the background.
         *
         * @param failed whether the call, or the transaction that kept its lock, has failed
         */
        @Override
        public CompletableFuture<@Nullable LeaseLostException> release(boolean failed, boolean blocking) {
            // A call that borrows the lease does not decide whether the run has failed.
            if (!shared.leave(own && failed)) {
                return CompletableFuture.completedFuture(loss());
            }
            CompletableFuture<?> before = shared.beforeRelease(blocking);
            if (!blocking) {
                CompletableFuture<@Nullable LeaseLostException> freed = before.thenCompose(ended -> freeAsync());
                // A copy, because a stage that has completed early would not release the lock.
                return StarterThreads.limit(freed.copy(), RELEASE_TIMEOUT);
            }
            if (before.isDone() && !isUnawaited()) {
                try {
                    return CompletableFuture.completedFuture(lossIn(shared.lease()::close));
                } finally {
                    shared.around().forEach(SharedLease.guarded(AroundLock::released));
                }
            }
            LeaseLostException known = loss();
            before.thenCompose(ended -> freeAsync());
            return CompletableFuture.completedFuture(known);
        }

        /** Returns whether the call does not wait for Redis. It still learns of a loss that is known already. */
        private boolean isUnawaited() {
            return !call.operation().awaitsRelease() && isHeld();
        }

        private CompletableFuture<@Nullable LeaseLostException> freeAsync() {
            boolean unawaited = isUnawaited();
            CompletableFuture<@Nullable LeaseLostException> freed = shared.lease()
                    .releaseAsync()
                    .toCompletableFuture()
                    .handle((done, failure) -> {
                        LeaseLostException loss =
                                failure != null && AroundLock.cause(failure) instanceof LeaseLostException lost
                                        ? byPolicy(lost)
                                        : null;
                        shared.around().forEach(SharedLease.guarded(AroundLock::released));
                        return loss;
                    });
            return unawaited ? CompletableFuture.completedFuture(null) : freed;
        }

        /** Returns the loss that the caller must receive; null if the lease is held or its loss is only reported. */
        @Override
        @Nullable
        public LeaseLostException loss() {
            return lossIn(shared.lease()::assertHeld);
        }

        private @Nullable LeaseLostException lossIn(Runnable step) {
            try {
                step.run();
                return null;
            } catch (LeaseLostException lost) {
                return byPolicy(lost);
            } catch (IllegalMonitorStateException released) {
                // The method released the lease itself, which is allowed.
                return null;
            }
        }

        private @Nullable LeaseLostException byPolicy(LeaseLostException lost) {
            // Recorded here as well, because the lease's callback may come later than the release.
            shared.around().forEach(SharedLease.guarded(feature -> feature.lost(lost.loss())));
            if (call.operation().settings().onLost() != OnLost.REPORT) {
                return lost;
            }
            LOG.warn(call.operation().signature() + " continued without its lock: " + lost.getMessage());
            return null;
        }
    }
}
