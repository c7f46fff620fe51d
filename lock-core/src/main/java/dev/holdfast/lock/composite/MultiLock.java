package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.internal.thread.MemberLock;
import java.time.Duration;
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

    private MultiLock(String name, Duration defaultWait, List<MemberLock> members) {
        super(name, defaultWait, members);
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
                name, defaultWait, locks.stream().map(CompositeLock::member).toList());
    }

    @Override
    CompositeAcquisition prepare(AcquireOptions options, Duration wait) {
        return new MultiAcquisition(this, options, wait);
    }

    /** Returns whether any member is held. */
    @Override
    public boolean isLocked() {
        return members.stream().anyMatch(LeaseLock::isLocked);
    }
}
