package dev.holdfast.lock.spring.interceptor;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Results that complete later. The caller's thread waits for the lock and runs the method, and the call holds the lock until the stage that the
 * method returned has completed, failed or been canceled. The caller's stage completes after that.
 *
 * <p>A plain method blocks the caller's thread as well. So everything that is bound to that thread (a transaction, a security context) is where
 * the method expects it. A caller that must not block needs a method that returns a {@code Mono}.
 */
final class StageResults extends BlockingResults {

    StageResults(Class<?> elementType) {
        super(elementType);
    }

    @Override
    @Nullable
    Object returned(@Nullable Object result, AcquiredLocks locks) throws Throwable {
        return result == null ? super.returned(null, locks) : heldUntilDone((CompletionStage<?>) result, locks);
    }

    private static CompletableFuture<Object> heldUntilDone(CompletionStage<?> stage, AcquiredLocks locks) {
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> locks.releaseAsync(failure == null ? null : LockAcquirer.cause(failure))
                .whenComplete((thrown, never) -> {
                    if (thrown == null) {
                        outcome.complete(value);
                    } else {
                        outcome.completeExceptionally(thrown);
                    }
                }));
        outcome.whenComplete((value, failure) -> {
            if (failure instanceof CancellationException) {
                cancel(stage);
            }
        });
        return outcome;
    }

    /** The lock protects the work: it is canceled too, and the lock is released when it has ended. */
    private static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException notSupported) {
            // Then the work continues, and the call holds the lock until it ends.
        }
    }

    @Override
    public Object skipped() {
        return CompletableFuture.completedFuture(super.skipped());
    }

    @Override
    public boolean staysOnThread() {
        return false;
    }
}
