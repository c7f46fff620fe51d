package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The locks of a call, in the order in which it acquired them. Empty if the method runs without a lock. */
public final class AcquiredLocks {

    private final List<AcquiredLock> locks = new ArrayList<>(1);
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
    }

    /** Returns the lease of the last lock; null if the method runs without a lock. */
    @Nullable
    public Lease lease() {
        return locks.isEmpty() ? null : locks.get(locks.size() - 1).lease();
    }

    List<AcquiredLock> all() {
        return locks;
    }

    private List<SharedLease> own() {
        return locks.stream()
                .filter(AcquiredLock::own)
                .map(AcquiredLock::shared)
                .toList();
    }

    public CallerContext over(CallerContext outer) {
        CallerContext context = outer;
        for (SharedLease shared : own()) {
            context = context.with(shared);
        }
        return context.withLease(lease());
    }

    /** Makes the locks, the lease and what is around them the current ones of this thread until the scope is closed. */
    public LockContext.Scope enter() {
        for (AcquiredLock lock : locks) {
            if (lock.own()) {
                lock.shared().around().forEach(feature -> feature.beforeMethod(lock));
            }
        }
        Deque<LockContext.Scope> scopes = new ArrayDeque<>(3);
        for (SharedLease shared : own()) {
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
                scopes.push(new LossInterrupt(lock.shared().lease()));
            }
        }
        return () -> scopes.forEach(LockContext.Scope::close);
    }

    /** Adds what the method's reactive context needs for the locks that this call acquired. The innermost lock comes last. */
    public void carry(BiConsumer<Object, Object> context) {
        own().forEach(shared -> shared.around().forEach(feature -> feature.carry(context)));
    }

    /** Releases the locks, the last one first. Returns what the call must throw: the method's own failure, or a loss. */
    @Nullable
    public Throwable release(@Nullable Throwable failure) {
        tellOf(failure);
        Throwable outcome = failure;
        for (int i = locks.size() - 1; i >= 0; i--) {
            outcome = merge(outcome, locks.get(i).release(failure != null));
        }
        return outcome;
    }

    /** Does the same as {@link #release} without blocking this thread. Never fails. */
    public CompletableFuture<@Nullable Throwable> releaseAsync(@Nullable Throwable failure) {
        tellOf(failure);
        CompletableFuture<@Nullable Throwable> outcome = CompletableFuture.completedFuture(failure);
        for (int i = locks.size() - 1; i >= 0; i--) {
            outcome = outcome.thenCombine(locks.get(i).releaseAsync(failure != null), this::merge);
        }
        return outcome;
    }

    private void tellOf(@Nullable Throwable failure) {
        if (failure != null) {
            own().forEach(shared -> shared.around().forEach(feature -> feature.threw(failure)));
        }
    }

    private @Nullable Throwable merge(@Nullable Throwable outcome, @Nullable LeaseLostException lost) {
        if (outcome == null || lost == null || lost == outcome) {
            return outcome == null ? lost : outcome;
        }
        if (outcome instanceof InterruptedException && locks.stream().anyMatch(AcquiredLock::interruptsOnLoss)) {
            // The loss caused the interrupt, so the caller receives the loss.
            lost.addSuppressed(outcome);
            return lost;
        }
        outcome.addSuppressed(lost);
        return outcome;
    }

    /**
     * Interrupts the current thread when the lease is lost, until that thread closes this scope. Closing clears only the interrupt that this object
     * sent.
     */
    private static final class LossInterrupt implements LockContext.Scope {
        private final Thread thread = Thread.currentThread();
        private boolean closed;
        private boolean sent;

        LossInterrupt(Lease lease) {
            lease.onLost(loss -> send());
        }

        private synchronized void send() {
            if (!closed && !thread.isInterrupted()) {
                sent = true;
                thread.interrupt();
            }
        }

        @Override
        public synchronized void close() {
            closed = true;
            if (sent) {
                Thread.interrupted();
            }
        }
    }
}
