package dev.holdfast.lock.composite;

import dev.holdfast.lock.internal.thread.AbstractLease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
    static MemberReleases of(Collection<AbstractLease> leases, long keepNanos) {
        MemberReleases releases = new MemberReleases();
        List<AbstractLease> inOrder = List.copyOf(leases);
        for (int i = inOrder.size() - 1; i >= 0; i--) {
            releases.answers.add(release(inOrder.get(i), keepNanos));
        }
        return releases;
    }

    private static CompletableFuture<Void> release(AbstractLease lease, long keepNanos) {
        try {
            return lease.releaseAsPart(keepNanos);
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
    void whenSettled(CompositeExecutor steps, long longestNanos, Runnable step) {
        CompletableFuture<Void> settled = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
        Future<?> overdue = steps.after(longestNanos, () -> settled.complete(null));
        settled.whenComplete((done, failure) -> {
            overdue.cancel(false);
            steps.run(step);
        });
    }

    /** The failures so far. */
    List<Throwable> failures() {
        List<Throwable> failures = new ArrayList<>();
        for (CompletableFuture<Void> answer : answers) {
            if (answer.isCompletedExceptionally()) {
                answer.handle((done, failure) -> failures.add(failure));
            }
        }
        return failures;
    }
}
