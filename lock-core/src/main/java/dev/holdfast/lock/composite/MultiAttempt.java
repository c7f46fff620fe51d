package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** One acquisition of all locks of a list, one after another. */
final class MultiAttempt extends CompositeAttempt {

    /** How long a failed attempt waits until what it had is released, so that the caller finds all free and learns of every error. */
    private static final long RELEASE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String name;
    private final List<LeaseLock> locks;
    private final Executor callbacks;
    private final List<Lease> taken = new ArrayList<>();

    MultiAttempt(String name, List<LeaseLock> locks, AcquireOptions options, Deadline deadline, Executor callbacks) {
        super(options, deadline);
        this.name = name;
        this.locks = locks;
        this.callbacks = callbacks;
    }

    @Override
    void start() {
        if (outcome.isDone()) {
            MemberReleases.of(taken);
        } else if (taken.size() == locks.size()) {
            finish();
        } else {
            Steps.<Lease>when(ask(locks.get(taken.size()), deadline.left()), (lease, failure) -> {
                if (failure == null) {
                    taken.add(lease);
                    start();
                } else {
                    refused(MemberReleases.unwrapped(failure));
                }
            });
        }
    }

    private void finish() {
        if (!taken.stream().allMatch(Lease::isHeld)) {
            // A short lease ended while the others were waited for.
            startOver();
            return;
        }
        long token = taken.stream().mapToLong(Lease::fencingToken).max().orElseThrow();
        complete(new CompositeLease(name, taken, taken.size(), token, options, interruptedOnLoss, callbacks).watched());
    }

    private void startOver() {
        MemberReleases.of(taken).whenSettled(RELEASE_TIMEOUT_NANOS, () -> {
            taken.clear();
            if (deadline.isOver()) {
                outcome.completeExceptionally(new LockNotAcquiredException(name, deadline.asked(), null, null));
            } else {
                start();
            }
        });
    }

    private void refused(Throwable reason) {
        MemberReleases back = MemberReleases.of(taken);
        back.whenSettled(RELEASE_TIMEOUT_NANOS, () -> {
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
                    name,
                    "Lock '" + LogText.escape(name) + "' is unavailable: " + down.getMessage(),
                    down,
                    down.isTransient());
        }
        return reason;
    }
}
