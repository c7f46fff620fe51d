package dev.holdfast.lock.internal.thread;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stage of a caller that does not block. If the caller completes it first, by a cancellation or a timeout, the acquisition is given up. One
 * object does all of this, because thousands of callers may wait.
 *
 * @param <L> the type of the acquired lease
 * @param <T> the type of the caller's result
 */
final class AcquisitionStage<L extends AbstractLease, T> extends CompletableFuture<T>
        implements BiConsumer<@Nullable Optional<L>, @Nullable Throwable> {

    /** The acquisition, or null once the caller has the lease, so that a caller that keeps this stage does not keep the waiter in memory. */
    private @Nullable Acquisition<L> acquisition;

    private final Executor callbacks;
    private final Function<? super L, T> asResult;
    private final @Nullable T whenBusy;

    AcquisitionStage(
            Acquisition<L> acquisition, Executor callbacks, Function<? super L, T> asResult, @Nullable T whenBusy) {
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
