package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One acquisition of all locks of a list, one after another. Each step begins when the one before has ended, so it needs no lock. */
final class MultiAttempt {

    /** How long the answers of what is given back are waited for, for the caller to find all free and hear of every error. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String name;
    private final List<LeaseLock> locks;
    private final AcquireOptions options;
    private final AcquireOptions memberOptions;
    private final Deadline deadline;
    private final @Nullable Thread interruptedOnLoss;
    private final List<Lease> taken = new ArrayList<>();
    private final CompletableFuture<CompositeLease> outcome = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<Lease> pending;

    MultiAttempt(String name, List<LeaseLock> locks, AcquireOptions options, Deadline deadline) {
        this.name = name;
        this.locks = locks;
        this.options = options;
        this.memberOptions = CompositeLock.forMembers(options);
        this.deadline = deadline;
        this.interruptedOnLoss = CompositeLock.interrupted(options);
    }

    CompletableFuture<CompositeLease> begin() {
        outcome.whenComplete((lease, failure) -> cancelPending());
        next();
        return outcome;
    }

    private void cancelPending() {
        CompletableFuture<Lease> asked = pending;
        if (asked != null) {
            asked.cancel(false);
        }
    }

    private void next() {
        if (outcome.isDone()) {
            Releases.of(taken);
        } else if (taken.size() == locks.size()) {
            finish();
        } else {
            ask(locks.get(taken.size())).whenComplete((lease, failure) -> {
                if (failure == null) {
                    taken.add(lease);
                    next();
                } else {
                    refused(Releases.unwrapped(failure));
                }
            });
        }
    }

    private CompletableFuture<Lease> ask(LeaseLock lock) {
        try {
            CompletableFuture<Lease> asked =
                    lock.acquireAsync(memberOptions.waitAtMost(deadline.left())).toCompletableFuture();
            pending = asked;
            if (outcome.isDone()) {
                // Given up between the question and its note.
                asked.cancel(false);
            }
            return asked;
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void finish() {
        if (!taken.stream().allMatch(Lease::isHeld)) {
            // A short lease ended while the others were waited for.
            startOver();
            return;
        }
        long token = taken.stream().mapToLong(Lease::fencingToken).max().orElseThrow();
        CompositeLease lease =
                new CompositeLease(name, taken, taken.size(), token, options, interruptedOnLoss).watched();
        if (!outcome.complete(lease)) {
            lease.releaseAsync();
        }
    }

    private void startOver() {
        Releases.of(taken).settled(PATIENCE_NANOS).thenRun(() -> {
            taken.clear();
            if (deadline.isOver()) {
                outcome.completeExceptionally(new LockNotAcquiredException(name, deadline.asked(), null, null));
            } else {
                next();
            }
        });
    }

    private void refused(Throwable reason) {
        Releases back = Releases.of(taken);
        back.settled(PATIENCE_NANOS).thenRun(() -> {
            Throwable failure = named(reason);
            back.failures().forEach(failure::addSuppressed);
            outcome.completeExceptionally(failure);
        });
    }

    /** As a failure of the whole, which quotes the member's. */
    private Throwable named(Throwable reason) {
        if (reason instanceof LockNotAcquiredException busy) {
            LockNotAcquiredException whole = new LockNotAcquiredException(name, deadline.asked(), busy);
            whole.addSuppressed(busy);
            return whole;
        }
        if (reason instanceof LockUnavailableException down) {
            return new LockUnavailableException(
                    name, "Lock '" + LogText.escape(name) + "' is unavailable: " + down.getMessage(), down);
        }
        return reason;
    }
}
