package dev.holdfast.lock.composite;

import dev.holdfast.lock.internal.thread.AbstractLease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** The releases of several leases. They are all sent at once, beginning with the lease that was acquired last. */
final class MemberReleases {

    private final List<CompletableFuture<Void>> answers = new ArrayList<>();

    private MemberReleases() {}

    /**
     * Releases all of the given leases.
     *
     * @param keepNanos how long the locks stay taken from now on; 0 if the acquisition failed
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
            // A release that fails at once must not prevent the other releases.
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Completes when at least the needed number of leases were released while they were held. Fails when that is no longer possible. */
    CompletableFuture<Void> enough(int needed) {
        return enough(answers, needed);
    }

    /** Completes when at least the needed number of answers is good. Fails when all have arrived and that is not so. */
    static CompletableFuture<Void> enough(List<CompletableFuture<Void>> answers, int needed) {
        CompletableFuture<Void> enough = new CompletableFuture<>();
        Runnable look = () -> {
            // Read before the count: an answer that arrives between the two reads would otherwise make 'all' true
            // without being counted.
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
        // There may be no answer to wait for.
        look.run();
        return enough;
    }

    /** Takes a step when all releases are answered, or at the latest after the given time. */
    void whenSettled(Members lock, long longestNanos, Runnable step) {
        CompletableFuture<Void> settled = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
        Future<?> overdue = lock.after(longestNanos, () -> settled.complete(null));
        settled.whenComplete((done, failure) -> {
            overdue.cancel(false);
            lock.run(step);
        });
    }

    /** Returns the failures so far. */
    List<Throwable> failures() {
        List<Throwable> failures = new ArrayList<>();
        for (CompletableFuture<Void> answer : answers) {
            if (answer.isCompletedExceptionally()) {
                answer.whenComplete((done, failure) -> failures.add(failure));
            }
        }
        return failures;
    }
}
