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
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One acquisition of all locks of a list, one after another, in {@link Steps}. */
final class MultiAttempt {

    /** How long the answers of what is given back are waited for, for the caller to find all free and hear of every error. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String name;
    private final List<LeaseLock> locks;
    private final AcquireOptions options;
    private final Deadline deadline;
    private final Executor callbacks;
    private final @Nullable Thread interruptedOnLoss;
    private final List<Lease> taken = new ArrayList<>();
    private final CompletableFuture<CompositeLease> outcome = new CompletableFuture<>();
    private volatile @Nullable CompletableFuture<? extends Lease> pending;

    MultiAttempt(String name, List<LeaseLock> locks, AcquireOptions options, Deadline deadline, Executor callbacks) {
        this.name = name;
        this.locks = locks;
        this.options = options;
        this.deadline = deadline;
        this.callbacks = callbacks;
        this.interruptedOnLoss = CompositeLock.interrupted(options);
    }

    CompletableFuture<CompositeLease> begin() {
        outcome.whenComplete((lease, failure) -> cancelPending());
        Steps.run(this::next);
        return outcome;
    }

    private void cancelPending() {
        CompletableFuture<? extends Lease> asked = pending;
        if (asked != null) {
            asked.cancel(false);
        }
    }

    private void next() {
        if (outcome.isDone()) {
            MemberReleases.of(taken);
        } else if (taken.size() == locks.size()) {
            finish();
        } else {
            Steps.<Lease>when(ask(locks.get(taken.size())), (lease, failure) -> {
                if (failure == null) {
                    taken.add(lease);
                    next();
                } else {
                    refused(MemberReleases.unwrapped(failure));
                }
            });
        }
    }

    private CompletableFuture<? extends Lease> ask(LeaseLock lock) {
        CompletableFuture<? extends Lease> asked = Members.acquire(lock, options, deadline.left());
        pending = asked;
        if (outcome.isDone()) {
            // Given up between the question and its note.
            asked.cancel(false);
        }
        return asked;
    }

    private void finish() {
        if (!taken.stream().allMatch(Lease::isHeld)) {
            // A short lease ended while the others were waited for.
            startOver();
            return;
        }
        long token = taken.stream().mapToLong(Lease::fencingToken).max().orElseThrow();
        CompositeLease lease =
                new CompositeLease(name, taken, taken.size(), token, options, interruptedOnLoss, callbacks).watched();
        if (!outcome.complete(lease)) {
            lease.releaseAsMember(0);
        }
    }

    private void startOver() {
        MemberReleases.of(taken).whenSettled(PATIENCE_NANOS, () -> {
            taken.clear();
            if (deadline.isOver()) {
                outcome.completeExceptionally(new LockNotAcquiredException(name, deadline.asked(), null, null));
            } else {
                next();
            }
        });
    }

    private void refused(Throwable reason) {
        MemberReleases back = MemberReleases.of(taken);
        back.whenSettled(PATIENCE_NANOS, () -> {
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
