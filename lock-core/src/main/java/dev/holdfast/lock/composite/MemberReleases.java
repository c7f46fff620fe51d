package dev.holdfast.lock.composite;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;

/** The releases of several leases, sent at once, the last acquired first. */
final class MemberReleases {

    private final List<CompletableFuture<Void>> answers = new ArrayList<>();

    private MemberReleases() {}

    /**
     * Releases all.
     *
     * @param keepNanos how long the locks stay taken from now on; 0 if the acquisition did not get everything
     */
    static MemberReleases of(List<? extends Lease> leases, long keepNanos) {
        MemberReleases releases = new MemberReleases();
        for (int i = leases.size() - 1; i >= 0; i--) {
            releases.answers.add(release(leases.get(i), keepNanos));
        }
        return releases;
    }

    private static CompletableFuture<Void> release(Lease lease, long keepNanos) {
        try {
            if (lease instanceof AbstractLease ours) {
                return ours.releaseAsPart(keepNanos);
            }
            if (keepNanos > 0) {
                // Another library's lock has no minimum hold.
                Steps.after(keepNanos, lease::releaseAsync);
                return CompletableFuture.completedFuture(null);
            }
            return lease.releaseAsync().toCompletableFuture();
        } catch (RuntimeException e) {
            // One that fails at once must not keep the others.
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Completes when so many were released while they were held; fails when that is no longer possible. */
    CompletableFuture<Void> enough(int needed) {
        CompletableFuture<Void> enough = new CompletableFuture<>();
        Runnable look = () -> {
            // Read first: an answer that comes between the two reads must not count as done and not as good.
            boolean all = answers.stream().allMatch(CompletableFuture::isDone);
            long done = answers.stream()
                    .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                    .count();
            if (done >= needed) {
                enough.complete(null);
            } else if (all) {
                enough.completeExceptionally(new IllegalStateException("Too few were held to the end"));
            }
        };
        answers.forEach(answer -> answer.whenComplete((done, failure) -> look.run()));
        return enough;
    }

    /** Takes a step when all are answered, or after that time. */
    void whenSettled(long longestNanos, Runnable step) {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, failure) -> settled.complete(null));
        Future<?> overdue = Steps.after(longestNanos, () -> settled.complete(null));
        Steps.when(settled, (done, failure) -> {
            overdue.cancel(false);
            step.run();
        });
    }

    /** The failures so far. */
    List<Throwable> failures() {
        List<Throwable> failures = new ArrayList<>();
        for (CompletableFuture<Void> answer : answers) {
            if (answer.isCompletedExceptionally()) {
                answer.handle((done, failure) -> failures.add(unwrapped(failure)));
            }
        }
        return failures;
    }

    Optional<LeaseLoss> firstLoss() {
        return failures().stream()
                .filter(LeaseLostException.class::isInstance)
                .map(failure -> ((LeaseLostException) failure).loss())
                .findFirst();
    }

    static Throwable unwrapped(Throwable thrown) {
        return thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    }
}
