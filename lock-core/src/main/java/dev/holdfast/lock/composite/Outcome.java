package dev.holdfast.lock.composite;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A caller's view of an acquisition. What the caller does with it, by canceling it or {@code orTimeout}, decides over the acquisition. */
final class Outcome {

    private Outcome() {}

    /**
     * Creates the view.
     *
     * @param acquisition the acquisition
     * @param asResult what a lease is to the caller
     * @param whenBusy what "busy" is to the caller; null if it is a failure
     * @param callbacks runs what the caller chains to the view
     * @param <T> what the caller gets
     * @return the view
     */
    static <T> CompletableFuture<T> of(
            CompletableFuture<CompositeLease> acquisition,
            Function<Lease, T> asResult,
            @Nullable T whenBusy,
            Executor callbacks) {
        CompletableFuture<T> view = new CompletableFuture<>();
        acquisition.whenComplete((lease, failure) -> callbacks.execute(() -> {
            Throwable cause = failure == null ? null : MemberReleases.unwrapped(failure);
            if (cause == null) {
                view.complete(asResult.apply(lease));
            } else if (whenBusy != null && cause instanceof LockNotAcquiredException) {
                view.complete(whenBusy);
            } else {
                view.completeExceptionally(cause);
            }
        }));
        // Also while the executor is busy, a lease that the caller no longer wants is released.
        view.whenComplete((value, failure) -> {
            if (!acquisition.cancel(false)) {
                acquisition.thenAccept(lease -> {
                    if (!asResult.apply(lease).equals(value)) {
                        lease.releaseAsMember();
                    }
                });
            }
        });
        return view;
    }
}
