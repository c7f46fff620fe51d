package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Acquires without blocking the caller. All steps run on the client's own threads; only the caller's future completes on the given executor. */
final class AsyncAcquisition {

    private final LockEngine engine;
    private final NamedLock lock;
    private final Executor callbacks;

    AsyncAcquisition(LockEngine engine, NamedLock lock, Executor callbacks) {
        this.engine = engine;
        this.lock = lock;
        this.callbacks = callbacks;
    }

    CompletableFuture<Lease> acquire(AcquireOptions options, Duration wait) {
        return async(options, wait, Function.identity(), waiter -> {
            BusyReport report = new BusyReport(lock, waiter, wait);
            return report.presentState().thenApply(found -> {
                throw report.exception(found);
            });
        });
    }

    CompletableFuture<Optional<Lease>> tryAcquire(AcquireOptions options, Duration wait) {
        return async(options, wait, Optional::of, waiter -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private <T> CompletableFuture<T> async(
            AcquireOptions options,
            Duration wait,
            Function<Lease, T> ifAcquired,
            Function<Waiter, CompletableFuture<T>> ifBusy) {
        Waiter waiter;
        try {
            waiter = engine.enter(options, wait);
        } catch (LockUnavailableException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        CompletableFuture<T> future = new CompletableFuture<>();
        waiter.result().whenComplete((lease, failure) -> {
            if (failure != null) {
                Throwable told = lock.parts().closed().get() ? engine.failure(failure) : failure;
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
            if (!engine.giveUp(waiter)) {
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
