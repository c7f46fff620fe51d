package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.background.Background;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition that has begun, and every form in which its caller waits for it: interruptibly, uninterruptibly, or as a stage. A caller that gives up
 * leaves nothing behind.
 *
 * @param <L> the lease that it brings
 */
public abstract class Acquisition<L extends AbstractLease> {

    /** The lease; empty if busy to the end; a failure if nobody knows. */
    protected abstract CompletableFuture<Optional<L>> outcome();

    /** Gives up. Returns false if the outcome came first. */
    protected abstract boolean giveUp();

    /** Where its caller blocks. */
    protected abstract Background background();

    /** The lock, as the caller calls it. */
    protected abstract String lockName();

    /** A failure for the caller that waited: new, so that the stack trace is the caller's. */
    protected abstract RuntimeException failure(@Nullable Throwable thrown);

    /** A failure for a caller that did not wait. */
    protected Throwable asyncFailure(Throwable thrown) {
        return thrown;
    }

    /** Who has the lock instead, if that can be said soon. Never fails. */
    protected abstract CompletableFuture<Optional<LockState>> presentState();

    /** What to throw if the lock was busy to the end, on the caller's own thread for the sake of its stack. */
    protected abstract LockException busy(Optional<LockState> found);

    /** An interrupt gives up. */
    final Optional<L> await() throws InterruptedException {
        try {
            return background().get(outcome());
        } catch (InterruptedException e) {
            if (giveUp()) {
                throw e;
            }
            // Settled at the same moment: the caller gets the result, and may see the interrupt afterward.
            Thread.currentThread().interrupt();
            return awaitUninterruptibly();
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    final Optional<L> awaitUninterruptibly() {
        try {
            return background().join(outcome());
        } catch (CompletionException e) {
            throw failure(e.getCause());
        }
    }

    final Optional<L> awaitUnchecked() {
        try {
            return await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(lockName(), e);
        }
    }

    final L awaitOrThrow() {
        Optional<L> lease = awaitUnchecked();
        if (lease.isPresent()) {
            return lease.get();
        }
        throw busy(stateNow());
    }

    private Optional<LockState> stateNow() {
        try {
            return background().get(presentState());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            return Optional.empty();
        }
    }

    /**
     * A stage for the caller, which may cancel it or let it time out.
     *
     * @param callbacks on which the stage completes
     * @param asResult what a lease is to the caller
     * @param whenBusy what "busy" is to the caller; null if it is a failure
     */
    final <T> CompletableFuture<T> stage(Executor callbacks, Function<? super L, T> asResult, @Nullable T whenBusy) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        outcome().whenComplete((lease, failure) -> {
            if (failure != null) {
                Throwable told = asyncFailure(failure);
                callbacks.execute(() -> stage.completeExceptionally(told));
            } else if (lease.isPresent()) {
                callbacks.execute(() -> stage.complete(asResult.apply(lease.get())));
            } else if (whenBusy != null) {
                callbacks.execute(() -> stage.complete(whenBusy));
            } else {
                presentState().thenAccept(found -> callbacks.execute(() -> stage.completeExceptionally(busy(found))));
            }
        });
        // Not on the executor, which may be busy: a lease that the caller no longer wants is released at once.
        stage.whenComplete((value, failure) -> {
            if (!giveUp()) {
                outcome()
                        .thenAccept(lease -> lease.filter(
                                        unused -> !asResult.apply(unused).equals(value))
                                .ifPresent(AbstractLease::release));
            }
        });
        return stage;
    }
}
