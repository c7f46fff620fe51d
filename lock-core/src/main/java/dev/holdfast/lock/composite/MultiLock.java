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
 * Several locks as one: all of them or none, of any kinds and any clients.
 *
 * <p>They are acquired one after another in a fixed order, within one wait. If one is refused, those acquired before are released. Since all callers
 * use the same order, they cannot deadlock. If one is lost, the whole is lost and the rest is released.
 *
 * <p>The fencing token is the greatest of the members'. It grows from holder to holder of the same locks together; it does not compare with the
 * token of a holder of a single one.
 *
 * <p>The listeners of the first lock's client receive the events of the whole under its name, {@code [a, b]}. Each client's listeners also receive
 * those of its parts.
 *
 * <p>If all names belong to one client, {@link dev.holdfast.lock.LockClient#getMultiLock} needs fewer round trips. Thread-safe.
 */
public final class MultiLock extends CompositeLock {

    private MultiLock(String name, Duration defaultWait, List<MemberLock> members) {
        super(name, defaultWait, members);
    }

    /**
     * Returns a lock over several locks. They are acquired by name, then by kind. Repeated ones count once. {@code acquire} waits 10 s if no wait is
     * given.
     *
     * @param locks at least one, all of clients of this library. Each of one name: a lock over several names among them has no place in the order of those names
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
     * @param locks at least one, all of clients of this library, each once
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

    /** Whether any of them is held. */
    @Override
    public boolean isLocked() {
        return members.stream().anyMatch(LeaseLock::isLocked);
    }
}
