package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Acquires all members of a multi-lock, one after another. */
final class MultiAcquisition extends CompositeAcquisition {

    private final List<AbstractLease> taken = new ArrayList<>();

    MultiAcquisition(MultiLock lock, AcquireOptions options, Duration wait) {
        super(lock, options, wait);
    }

    @Override
    void start() {
        if (isDone()) {
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
            acquired(new CompositeLease(this, taken, taken.size(), token).watched());
        } else {
            // A short lease ended while later members were acquired.
            startOver();
        }
    }

    private void startOver() {
        giveBack(MemberReleases.of(taken, 0), () -> {
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
        giveBack(back, () -> {
            Throwable failure = named(reason);
            back.failures().forEach(failure::addSuppressed);
            fail(failure);
        });
    }

    /**
     * Takes a step after the leases of the failed attempt are released, so that the caller finds all members free and learns of every error. Waits
     * for at most one command timeout, less the time by which a member has already overrun the wait. So the caller's wait is exceeded by at most one
     * command timeout in total.
     */
    private void giveBack(MemberReleases back, Runnable step) {
        long longestWait = taken.stream()
                .mapToLong(AbstractLease::releasePatienceNanos)
                .max()
                .orElse(0);
        back.whenSettled(lock.steps, Math.max(0, longestWait - overrunNanos()), step);
    }

    /** Converts the failure of a member into a failure of the whole lock, which quotes the member's failure. */
    private Throwable named(Throwable reason) {
        if (reason instanceof LockNotAcquiredException member) {
            LockNotAcquiredException whole = refusal(member);
            whole.addSuppressed(member);
            return whole;
        }
        if (reason instanceof WrongLockKindException wrong) {
            return wrongKind(wrong);
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
