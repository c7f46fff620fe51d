package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.LockContext;
import java.lang.reflect.Method;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Results that come later: the caller's thread waits for the lock and runs the body, and the lock is held until the stage that the body
 * returned has completed, failed or been cancelled. The caller's stage completes after that.
 *
 * <p>Waiting on the caller's thread is what a plain method does as well, and keeps everything that is bound to that thread (a transaction, a
 * security context) where the body expects it. Who must not block returns a {@code Mono}.
 */
final class StageResults implements ResultHandling {

    static boolean handles(Method method) {
        Class<?> type = method.getReturnType();
        return type == CompletionStage.class || type == CompletableFuture.class;
    }

    @Override
    public @Nullable Object call(GuardedCall call, Entrance entrance) throws Throwable {
        Entry entry = entrance.enter(call);
        if (entry instanceof Refusal refusal) {
            return refusal.answer(call);
        }
        Admission admission = (Admission) entry;
        admission.keepForTransaction();
        CompletionStage<?> stage = null;
        Throwable failure = null;
        try (LockContext.Scope inside = admission.goInside()) {
            stage = (CompletionStage<?>) call.proceed(admission.lease());
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (stage != null) {
            return heldUntilDone(stage, admission);
        }
        failure = admission.giveBack(failure);
        if (failure != null) {
            throw failure;
        }
        return null;
    }

    private static CompletableFuture<Object> heldUntilDone(CompletionStage<?> stage, Admission admission) {
        CompletableFuture<Object> outcome = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> admission
                .giveBackAsync(cause(failure))
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

    /** The work is what the lock protects: it is told, and the lock is free once it has taken notice. */
    private static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException notOffered) {
            // Then it goes on to its end, and so does the lock.
        }
    }

    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    @Override
    public Object skipped() {
        return CompletableFuture.completedFuture(null);
    }
}
