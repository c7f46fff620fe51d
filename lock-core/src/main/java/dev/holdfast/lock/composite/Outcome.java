package dev.holdfast.lock.composite;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A caller's view of an acquisition: settling it, by cancelling or {@code orTimeout}, gives the acquisition up. */
final class Outcome<T> extends CompletableFuture<T> {

    /**
     * Creates the view.
     *
     * @param acquisition the acquisition
     * @param asResult what a lease is to the caller
     * @param whenBusy what "busy" is to the caller; null if it is a failure
     */
    Outcome(CompletableFuture<CompositeLease> acquisition, Function<Lease, T> asResult, @Nullable T whenBusy) {
        acquisition.whenComplete((lease, failure) -> {
            boolean taken;
            if (failure == null) {
                taken = complete(asResult.apply(lease));
            } else {
                Throwable cause = Releases.unwrapped(failure);
                boolean busy = cause instanceof LockNotAcquiredException;
                taken = (busy && whenBusy != null) ? complete(whenBusy) : completeExceptionally(cause);
            }
            if (!taken && lease != null) {
                lease.releaseAsync();
            }
        });
        whenComplete((value, failure) -> acquisition.cancel(false));
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        // What is chained to it is no acquisition.
        return new CompletableFuture<>();
    }
}
