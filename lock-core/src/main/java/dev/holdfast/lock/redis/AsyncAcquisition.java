package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.lease.Announcer;
import dev.holdfast.lock.lease.HeldLease;
import dev.holdfast.lock.lease.LeaseTerms;
import dev.holdfast.lock.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The forms in which callers go on and are told later. */
final class AsyncAcquisition {

    private final Entrance entrance;
    private final Refusals refusals;
    private final AtomicBoolean closed;

    AsyncAcquisition(Entrance entrance, Refusals refusals, AtomicBoolean closed) {
        this.entrance = entrance;
        this.refusals = refusals;
        this.closed = closed;
    }

    CompletableFuture<Lease> acquireAsync(AcquireOptions options, Duration wait) {
        return async(
                options,
                wait,
                Function.identity(),
                waiter -> refusals.presentState(waiter, wait)
                        .thenApplyAsync(
                                found -> {
                                    throw refusals.notAcquired(waiter, wait, found);
                                },
                                Announcer.CALLER_SIDE));
    }

    CompletableFuture<Optional<Lease>> tryAcquireAsync(AcquireOptions options, Duration wait) {
        return async(options, wait, Optional::of, waiter -> CompletableFuture.completedFuture(Optional.empty()));
    }

    /** The caller's future runs what is chained to it on the common pool, and gives up when its owner settles it. */
    private <T> CompletableFuture<T> async(
            AcquireOptions options,
            Duration wait,
            Function<Lease, T> ifAcquired,
            Function<Waiter, CompletableFuture<T>> ifBusy) {
        LeaseTerms terms = entrance.terms(options, false);
        long waitNanos = Acquisition.nanos("wait", wait);
        Waiter waiter;
        try {
            waiter = entrance.enter(terms, waitNanos);
        } catch (LockUnavailableException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        CompletableFuture<T> future = new CompletableFuture<>();
        waiter.result()
                .whenCompleteAsync(
                        (lease, failure) -> {
                            boolean taken;
                            if (failure != null) {
                                taken = future.completeExceptionally(
                                        closed.get() ? entrance.failure(failure) : failure);
                            } else if (lease.isPresent()) {
                                taken = future.complete(ifAcquired.apply(lease.get()));
                            } else {
                                taken = true;
                                ifBusy.apply(waiter).whenComplete((value, busy) -> settle(future, value, busy));
                            }
                            if (!taken && lease != null) {
                                lease.ifPresent(HeldLease::releaseAsync);
                            }
                        },
                        Announcer.CALLER_SIDE);
        // Cancelled, or ended by orTimeout() and its like.
        future.whenComplete((value, failure) -> entrance.giveUp(waiter));
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
