package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.internal.thread.AbstractLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A lock over several locks of any kinds and any clients. An acquisition gets all of them or none.
 *
 * <p>The members are acquired one after another in a fixed order, within one wait. If a member is refused, the members acquired before are released.
 * Since all callers use the same order, they cannot deadlock. If a member is lost, the whole lock is lost and the other members are released.
 *
 * <p>The fencing token is the greatest token of the members. It grows from holder to holder of the same multi-lock. Do not compare it with the token
 * of a holder of a single member.
 *
 * <p>The listeners of the first member's client receive the events of the multi-lock under its name, {@code [a, b]}. The listeners of each client
 * also receive the events of that client's members.
 *
 * <p>If all names belong to one client, {@link dev.holdfast.lock.LockClient#getMultiLock} needs fewer round trips. Thread-safe.
 */
public final class MultiLock extends CompositeLock {

    private MultiLock(Members members, Duration defaultWait) {
        super(members, defaultWait);
    }

    /**
     * Returns a lock over several locks. They are acquired in the order of their names, then of their kinds. Repeated locks count once. {@code
     * acquire} waits 10 s if no wait is given.
     *
     * @param locks at least one lock. Each must come from a client of this library and have a single name, because a lock over several names has no
     *     position in the order of names
     */
    @CheckReturnValue
    public static MultiLock of(Collection<? extends LeaseLock> locks) {
        if (locks == null || locks.isEmpty()) {
            throw new IllegalArgumentException("A multi-lock must have at least one lock");
        }
        List<LeaseLock> sorted = locks.stream()
                .<LeaseLock>map(lock -> lock)
                .distinct()
                .sorted(Comparator.comparing(LeaseLock::name).thenComparing(LeaseLock::kind))
                .toList();
        String name = sorted.stream().map(LeaseLock::name).collect(Collectors.joining(", ", "[", "]"));
        return inOrder(name, sorted, DEFAULT_WAIT);
    }

    /**
     * Returns a lock over several locks in the given order. All callers must acquire them in that order.
     *
     * @param locks at least one lock. Each must come from a client of this library and occur once
     * @param defaultWait how long {@code acquire} waits if no wait is given
     */
    @CheckReturnValue
    public static MultiLock inOrder(String name, List<? extends LeaseLock> locks, Duration defaultWait) {
        if (locks.isEmpty()) {
            throw new IllegalArgumentException("A multi-lock must have at least one lock");
        }
        return new MultiLock(
                new Members(name, locks.stream().map(Members::member).toList()), defaultWait);
    }

    @Override
    CompositeAcquisition prepare(AcquireOptions options, Duration wait) {
        return new MultiAcquisition(members, options, wait);
    }

    /** Returns whether any member is held. */
    @Override
    public boolean isLocked() {
        return members.locks.stream().anyMatch(LeaseLock::isLocked);
    }

    /** Acquires all members of a multi-lock, one after another. */
    private static final class MultiAcquisition extends CompositeAcquisition {

        private final List<AbstractLease> taken = new ArrayList<>();

        MultiAcquisition(Members lock, AcquireOptions options, Duration wait) {
            super(lock, options, wait);
        }

        @Override
        void start() {
            if (isDone()) {
                MemberReleases.of(taken, 0);
            } else if (taken.size() < lock.locks.size()) {
                await(lock.locks.get(taken.size()), leftNanos(), (lease, failure) -> {
                    if (failure == null) {
                        taken.add(lease);
                        start();
                    } else {
                        refused(failure);
                    }
                });
            } else if (taken.stream().allMatch(AbstractLease::isHeld)) {
                long token = taken.stream()
                        .mapToLong(AbstractLease::fencingToken)
                        .max()
                        .orElseThrow();
                acquired(lease(taken, taken.size(), token));
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
            back.whenSettled(lock, Math.max(0, longestWait - overrunNanos()), step);
        }

        /** Converts the failure of a member into a failure of the whole lock, which quotes the member's failure. */
        private Throwable named(Throwable reason) {
            if (reason instanceof LockNotAcquiredException member) {
                LockNotAcquiredException whole = refusal(member);
                whole.addSuppressed(member);
                return whole;
            }
            return reason instanceof LockException failed ? whole(failed) : reason;
        }
    }
}
