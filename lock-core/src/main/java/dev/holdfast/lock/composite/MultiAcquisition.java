package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Acquires all members of a lock, one after another. */
final class MultiAcquisition extends CompositeAcquisition {

    /** How long a failed attempt waits until what it had is released, so that the caller finds all free and learns of every error. */
    private static final long RELEASE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final List<AbstractLease> taken = new ArrayList<>();

    MultiAcquisition(MultiLock lock, AcquireOptions options, Duration wait) {
        super(lock, options, wait);
    }

    @Override
    void start() {
        if (outcome.isDone()) {
            MemberReleases.of(taken, 0);
        } else if (taken.size() < lock.members.size()) {
            await(lock.members.get(taken.size()), leftNanos(), (lease, failure) -> {
                if (failure == null) {
                    taken.add(lease);
                    start();
                } else {
                    refused(failure);
                }
            });
        } else if (taken.stream().allMatch(AbstractLease::isHeld)) {
            long token =
                    taken.stream().mapToLong(AbstractLease::fencingToken).max().orElseThrow();
            complete(new CompositeLease(this, taken, taken.size(), token).watched());
        } else {
            // A short lease ended while the others were waited for.
            startOver();
        }
    }

    private void startOver() {
        MemberReleases.of(taken, 0).whenSettled(lock.steps, RELEASE_TIMEOUT_NANOS, () -> {
            taken.clear();
            if (isOver()) {
                fail(refusal(null));
            } else {
                start();
            }
        });
    }

    private void refused(Throwable reason) {
        MemberReleases back = MemberReleases.of(taken, 0);
        back.whenSettled(lock.steps, RELEASE_TIMEOUT_NANOS, () -> {
            Throwable failure = named(reason);
            back.failures().forEach(failure::addSuppressed);
            fail(failure);
        });
    }

    /** As a failure of the whole, which quotes the member's. */
    private Throwable named(Throwable reason) {
        if (reason instanceof LockNotAcquiredException member) {
            LockNotAcquiredException whole = refusal(member);
            whole.addSuppressed(member);
            return whole;
        }
        if (reason instanceof LockUnavailableException down) {
            return new LockUnavailableException(
                    lock.name(),
                    "Lock '" + LogText.escape(lock.name()) + "' is unavailable: " + down.getMessage(),
                    down,
                    down.isTransient());
        }
        return reason;
    }
}
