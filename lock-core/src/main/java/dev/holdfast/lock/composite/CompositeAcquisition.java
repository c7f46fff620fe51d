package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition of a composite lock, and the forms in which callers wait for it: interruptibly, uninterruptibly, or as a stage. It runs in
 * {@link Steps}. Canceling its outcome cancels the member that it waits for and leaves nothing behind.
 */
abstract class CompositeAcquisition {

    final CompositeLock lock;
    final AcquireOptions options;
    final Duration wait;
    final CompletableFuture<CompositeLease> outcome = new CompletableFuture<>();

    /** Taken in the constructor: later steps run on other threads. */
    final @Nullable Thread interruptedOnLoss;

    private final long waitNanos;
    private final long since = System.nanoTime();
    private volatile @Nullable CompletableFuture<? extends Lease> pending;

    /**
     * Creates an acquisition that has not begun.
     *
     * @param wait used in place of the options'; one that does not fit into nanoseconds never ends
     */
    CompositeAcquisition(CompositeLock lock, AcquireOptions options, Duration wait) {
        this.lock = lock;
        this.options = options;
        this.wait = wait;
        this.waitNanos = Math.max(0, TimeUnit.NANOSECONDS.convert(wait));
        this.interruptedOnLoss =
                options.interruptsOnLoss() ? options.boundThread().orElseGet(Thread::currentThread) : null;
    }

    CompositeAcquisition begin() {
        outcome.whenComplete((lease, failure) -> {
            CompletableFuture<? extends Lease> asked = pending;
            if (asked != null) {
                asked.cancel(false);
            }
        });
        Steps.run(this::start);
        return this;
    }

    abstract void start();

    /** Asks a member and waits for its answer. */
    CompletableFuture<? extends Lease> ask(LeaseLock member, long longestNanos) {
        CompletableFuture<? extends Lease> asked = Members.acquire(member, options, Duration.ofNanos(longestNanos));
        pending = asked;
        if (outcome.isDone()) {
            // Canceled between the request and the assignment.
            asked.cancel(false);
        }
        return asked;
    }

    private Duration waited() {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    long leftNanos() {
        return waitNanos == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, waitNanos - (System.nanoTime() - since));
    }

    boolean isOver() {
        return leftNanos() == 0;
    }

    void complete(CompositeLease lease) {
        if (!outcome.isDone()) {
            lock.tell(new LockEvent.Acquired(lock.name(), lock.kind(), lease.fencingToken(), waited(), false));
            lease.reportEnd(lock::tell);
        }
        if (!outcome.complete(lease)) {
            // Canceled.
            lease.releaseAsPart(0);
        }
    }

    void fail(Throwable cause) {
        if (!outcome.isDone() && cause instanceof LockNotAcquiredException) {
            lock.tell(new LockEvent.TimedOut(lock.name(), lock.kind(), waited()));
        } else if (!outcome.isDone() && cause instanceof LockUnavailableException) {
            lock.tell(new LockEvent.Unavailable(lock.name(), lock.kind(), waited(), cause));
        }
        outcome.completeExceptionally(cause);
    }

    /** The refusal of the whole. It quotes that of a member, if one was busy. */
    LockNotAcquiredException busy(@Nullable LockNotAcquiredException member) {
        return member == null
                ? new LockNotAcquiredException(lock.name(), wait, null, null)
                : new LockNotAcquiredException(lock.name(), wait, member);
    }

    /** An interrupt cancels the acquisition. */
    CompositeLease await() throws InterruptedException {
        try {
            return outcome.get();
        } catch (InterruptedException e) {
            if (outcome.cancel(false)) {
                throw e;
            }
            // Settled at the same moment: the caller gets the result, and may see the interrupt afterward.
            Thread.currentThread().interrupt();
            return awaitUninterruptibly();
        } catch (ExecutionException e) {
            throw withCallersTrace(e.getCause());
        }
    }

    CompositeLease awaitUninterruptibly() {
        try {
            return UninterruptibleWait.get(outcome);
        } catch (ExecutionException e) {
            throw withCallersTrace(e.getCause());
        }
    }

    CompositeLease awaitUnchecked() {
        try {
            return await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(lock.name(), e);
        }
    }

    private RuntimeException withCallersTrace(@Nullable Throwable thrown) {
        RuntimeException copy;
        if (thrown instanceof LockNotAcquiredException busy) {
            copy = new LockNotAcquiredException(busy.lockName(), busy.waited(), busy);
        } else if (thrown instanceof LockUnavailableException down) {
            copy = new LockUnavailableException(
                    down.lockName(), String.valueOf(down.getMessage()), down.getCause(), down.isTransient());
        } else {
            return new IllegalStateException("Waiting for lock '" + LogText.escape(lock.name()) + "' failed", thrown);
        }
        for (Throwable part : thrown.getSuppressed()) {
            copy.addSuppressed(part);
        }
        return copy;
    }

    /**
     * A stage for the caller, which may cancel it or let it time out.
     *
     * @param asResult what a lease is to the caller
     * @param whenBusy what "busy" is to the caller; null if it is a failure
     */
    <T> CompletableFuture<T> stage(Function<Lease, T> asResult, @Nullable T whenBusy) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        outcome.whenComplete((acquired, failure) -> lock.callbacks().execute(() -> {
            if (failure == null) {
                stage.complete(asResult.apply(acquired));
            } else if (whenBusy != null && failure instanceof LockNotAcquiredException) {
                stage.complete(whenBusy);
            } else {
                stage.completeExceptionally(failure);
            }
        }));
        // Not on the executor, which may be busy: a lease that the caller no longer wants is released at once.
        stage.whenComplete((value, failure) -> {
            if (!outcome.cancel(false)) {
                outcome.thenAccept(acquired -> {
                    if (!asResult.apply(acquired).equals(value)) {
                        acquired.release();
                    }
                });
            }
        });
        return stage;
    }
}
