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
 * An acquisition that has begun, and the future of its outcome: a lease, an empty value if the lock was busy until the end of the wait, or a failure
 * if the state of the lock is unknown. Its caller can wait for it in several ways: interruptibly, uninterruptibly, or by a stage. A caller that gives
 * up leaves nothing behind.
 *
 * @param <L> the type of the acquired lease
 */
public abstract class Acquisition<L extends AbstractLease> extends CompletableFuture<Optional<L>> {

    /** Whether the caller has a stage instead of a blocked thread. */
    private volatile boolean hasStage;

    /** Returns whether the thread that made the call may be blocked until the outcome. */
    public final boolean mayBlock() {
        return !hasStage;
    }

    /** Gives up the acquisition. Returns false if the outcome came first. */
    protected abstract boolean giveUp();

    /** Returns the object whose methods the caller blocks in. */
    protected abstract Background background();

    /** Returns the name of the lock, as the caller gave it. */
    protected abstract String lockName();

    /** Returns an exception for a caller that waited. It is newly created, so that it has the caller's stack trace. */
    protected abstract RuntimeException failure(@Nullable Throwable thrown);

    /** Returns the exception for a caller that did not wait. */
    protected Throwable asyncFailure(Throwable thrown) {
        return thrown;
    }

    /** Returns the present state of the lock, if Redis reports it soon. The future never fails. */
    protected abstract CompletableFuture<Optional<LockState>> presentState();

    /**
     * Returns the exception for a lock that was busy until the end of the wait. Called on the caller's own thread, so that it has the caller's stack
     * trace.
     */
    protected abstract LockException busy(Optional<LockState> found);

    /** Waits for the outcome. An interrupt gives up the acquisition. */
    final Optional<L> await() throws InterruptedException {
        try {
            return background().get(this);
        } catch (InterruptedException e) {
            if (giveUp()) {
                throw e;
            }
            // The outcome came at the same moment. The caller gets it and can see the interrupt afterward.
            Thread.currentThread().interrupt();
            return awaitUninterruptibly();
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    final Optional<L> awaitUninterruptibly() {
        try {
            return background().join(this);
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
     * Returns a stage for the caller.
     *
     * @param callbacks the executor on which the stage completes
     * @param asResult converts a lease into the caller's result
     * @param whenBusy the caller's result if the lock is busy, or null if the stage then fails
     */
    final <T> CompletableFuture<T> stage(Executor callbacks, Function<? super L, T> asResult, @Nullable T whenBusy) {
        hasStage = true;
        return new AcquisitionStage<>(this, callbacks, asResult, whenBusy);
    }
}
