package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Acquires without blocking the caller. All steps run on the client's own threads; only the caller's future completes on the given executor. */
public final class AsyncAcquisition {

    private final Entrance entrance;
    private final Refusals refusals;
    private final AtomicBoolean closed;

    AsyncAcquisition(Entrance entrance, Refusals refusals, AtomicBoolean closed) {
        this.entrance = entrance;
        this.refusals = refusals;
        this.closed = closed;
    }

    public CompletableFuture<Lease> acquireAsync(AcquireOptions options, Duration wait, Executor callbacks) {
        return async(
                options,
                wait,
                Function.identity(),
                waiter -> refusals.presentState(waiter, wait).thenApply(found -> {
                    throw refusals.notAcquired(waiter, wait, found);
                }),
                callbacks);
    }

    public CompletableFuture<Optional<Lease>> tryAcquireAsync(
            AcquireOptions options, Duration wait, Executor callbacks) {
        return async(
                options, wait, Optional::of, waiter -> CompletableFuture.completedFuture(Optional.empty()), callbacks);
    }

    private <T> CompletableFuture<T> async(
            AcquireOptions options,
            Duration wait,
            Function<Lease, T> ifAcquired,
            Function<Waiter, CompletableFuture<T>> ifBusy,
            Executor callbacks) {
        LeaseTerms terms = entrance.terms(options, false);
        long waitNanos = Acquisition.nanos("wait", wait);
        Waiter waiter;
        try {
            waiter = entrance.enter(terms, waitNanos);
        } catch (LockUnavailableException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        CompletableFuture<T> future = new CompletableFuture<>();
        waiter.result().whenComplete((lease, failure) -> {
            if (failure != null) {
                Throwable told = closed.get() ? entrance.failure(failure) : failure;
                callbacks.execute(() -> future.completeExceptionally(told));
            } else if (lease.isPresent()) {
                callbacks.execute(() -> future.complete(ifAcquired.apply(lease.get())));
            } else {
                ifBusy.apply(waiter)
                        .whenComplete((value, busy) -> callbacks.execute(() -> settle(future, value, busy)));
            }
        });
        // The caller may cancel it, or orTimeout() and its like may end it: also while the callback executor is busy.
        future.whenComplete((value, failure) -> {
            if (!entrance.giveUp(waiter)) {
                waiter.result()
                        .thenAccept(lease -> lease.filter(
                                        unused -> !ifAcquired.apply(unused).equals(value))
                                .ifPresent(HeldLease::releaseAsync));
            }
        });
        return future;
    }

    private static <T> void settle(CompletableFuture<T> future, @Nullable T value, @Nullable Throwable busy) {
        if (busy == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(
                    busy instanceof CompletionException && busy.getCause() != null ? busy.getCause() : busy);
        }
    }
}
