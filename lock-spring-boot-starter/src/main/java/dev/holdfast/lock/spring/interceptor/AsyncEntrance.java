package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Takes the locks that a call asks for, one after the other, without ever blocking the thread that asks. Whoever cancels the future gives up:
 * what was got until then is given back, and what is still asked for is left.
 */
final class AsyncEntrance {

    private final Entrance entrance;
    private final Surroundings around;
    private final Iterator<LockRequest> requests;
    private final Admission admission = new Admission();
    private final CompletableFuture<Entry> result = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<Lease> asking;

    AsyncEntrance(Entrance entrance, GuardedCall call, Surroundings around) {
        this.entrance = entrance;
        this.around = around;
        this.requests = call.requests().iterator();
    }

    /** Begins. The future completes with what came of it; whoever gets an admission gives it back. */
    CompletableFuture<Entry> enter() {
        result.whenComplete((entry, failure) -> {
            CompletableFuture<Lease> asked = asking;
            if (result.isCancelled() && asked != null) {
                asked.cancel(false);
            }
        });
        next();
        return result;
    }

    private void next() {
        if (result.isDone()) {
            giveBack();
        } else if (!requests.hasNext()) {
            if (!result.complete(admission)) {
                giveBack();
            }
        } else {
            ask(requests.next());
        }
    }

    private void giveBack() {
        admission.giveBackAsync(null);
    }

    private void ask(LockRequest request) {
        Attempt attempt;
        CompletableFuture<Lease> asked;
        try {
            attempt = entrance.begin(request, around.and(admission));
            asked = attempt.acquireAsync();
        } catch (RuntimeException | Error refused) {
            fail(refused);
            return;
        }
        asking = asked;
        if (result.isCancelled()) {
            // Given up before the question could be seen there.
            asked.cancel(false);
        }
        asked.whenComplete((lease, failure) -> answered(attempt, lease, failure));
    }

    private void answered(Attempt attempt, @Nullable Lease lease, @Nullable Throwable failure) {
        try {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (lease != null) {
                attempt.admit(lease, admission);
                next();
            } else if (cause instanceof LockNotAcquiredException || cause instanceof LockUnavailableException) {
                refused(attempt.refused((LockException) cause));
            } else {
                Throwable unexpected = cause == null ? new IllegalStateException("No lease and no reason") : cause;
                attempt.failed(unexpected);
                fail(unexpected);
            }
        } catch (RuntimeException | Error thrown) {
            fail(thrown);
        }
    }

    private void refused(@Nullable Refusal refusal) {
        if (refusal == null) {
            next();
            return;
        }
        giveBack();
        result.complete(refusal);
    }

    private void fail(Throwable failure) {
        giveBack();
        result.completeExceptionally(failure);
    }
}
