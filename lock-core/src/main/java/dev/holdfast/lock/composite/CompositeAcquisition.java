package dev.holdfast.lock.composite;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.UninterruptibleWait;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An acquisition in the forms in which callers wait for it: interruptibly, uninterruptibly, or as a stage. */
record CompositeAcquisition(String lockName, CompletableFuture<CompositeLease> lease) {

    /** An interrupt cancels the acquisition and leaves nothing behind. */
    CompositeLease await() throws InterruptedException {
        try {
            return lease.get();
        } catch (InterruptedException e) {
            if (lease.cancel(false)) {
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
            return UninterruptibleWait.get(lease);
        } catch (ExecutionException e) {
            throw withCallersTrace(e.getCause());
        }
    }

    CompositeLease awaitUnchecked() {
        try {
            return await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(lockName, e);
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
            return new IllegalStateException("Waiting for lock '" + LogText.escape(lockName) + "' failed", thrown);
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
     * @param callbacks runs what the caller chains to the stage
     */
    <T> CompletableFuture<T> stage(Function<Lease, T> asResult, @Nullable T whenBusy, Executor callbacks) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        lease.whenComplete((acquired, failure) -> callbacks.execute(() -> {
            Throwable cause = failure == null ? null : MemberReleases.unwrapped(failure);
            if (cause == null) {
                stage.complete(asResult.apply(acquired));
            } else if (whenBusy != null && cause instanceof LockNotAcquiredException) {
                stage.complete(whenBusy);
            } else {
                stage.completeExceptionally(cause);
            }
        }));
        // Not on the executor, which may be busy: a lease that the caller no longer wants is released at once.
        stage.whenComplete((value, failure) -> {
            if (!lease.cancel(false)) {
                lease.thenAccept(acquired -> {
                    if (!asResult.apply(acquired).equals(value)) {
                        acquired.releaseAsMember();
                    }
                });
            }
        });
        return stage;
    }
}
