package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.internal.background.Background;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
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
        return background().join(this, this::failure);
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
        return new Stage<>(this, callbacks, asResult, whenBusy);
    }

    /**
     * The stage of a caller that does not block. If the caller completes it first, by a cancellation or a timeout, the acquisition is given up. One
     * object does all of this, because thousands of callers may wait.
     *
     * @param <L> the type of the acquired lease
     * @param <T> the type of the caller's result
     */
    private static final class Stage<L extends AbstractLease, T> extends CompletableFuture<T>
            implements BiConsumer<@Nullable Optional<L>, @Nullable Throwable> {

        /** The acquisition, or null once the caller has the lease, so that a caller that keeps this stage does not keep the waiter in memory. */
        private @Nullable Acquisition<L> acquisition;

        private final Executor callbacks;
        private final Function<? super L, T> asResult;
        private final @Nullable T whenBusy;

        Stage(Acquisition<L> acquisition, Executor callbacks, Function<? super L, T> asResult, @Nullable T whenBusy) {
            this.acquisition = acquisition;
            this.callbacks = callbacks;
            this.asResult = asResult;
            this.whenBusy = whenBusy;
            acquisition.whenComplete(this);
        }

        /** Called with the outcome of the acquisition. */
        @Override
        @SuppressWarnings("NullableOptional") // A future passes null for an outcome that it does not have.
        public void accept(@Nullable Optional<L> lease, @Nullable Throwable failure) {
            Acquisition<L> ended = Objects.requireNonNull(acquisition);
            if (failure != null) {
                Throwable told = ended.asyncFailure(failure);
                callbacks.execute(() -> super.completeExceptionally(told));
            } else if (lease != null && lease.isPresent()) {
                callbacks.execute(() -> acquired(lease.get()));
            } else if (whenBusy != null) {
                callbacks.execute(() -> super.complete(whenBusy));
            } else {
                ended.presentState()
                        .thenAccept(found -> callbacks.execute(() -> super.completeExceptionally(ended.busy(found))));
            }
        }

        private void acquired(L lease) {
            if (super.complete(asResult.apply(lease))) {
                acquisition = null;
            } else {
                lease.release();
            }
        }

        /** Called by the caller, also with {@code completeOnTimeout}. */
        @Override
        public boolean complete(T value) {
            return leave(super.complete(value));
        }

        /** Called by the caller, also with {@code orTimeout}. */
        @Override
        public boolean completeExceptionally(Throwable failure) {
            return leave(super.completeExceptionally(failure));
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return leave(super.cancel(mayInterruptIfRunning));
        }

        /** Does not use the executor, which may be busy: a lease that the caller no longer wants is released at once. */
        private boolean leave(boolean left) {
            Acquisition<L> unwanted = acquisition;
            if (left && unwanted != null && !unwanted.giveUp()) {
                unwanted.thenAccept(lease -> lease.ifPresent(AbstractLease::release));
            }
            return left;
        }
    }
}
