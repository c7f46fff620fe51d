package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.CheckReturnValue;
import dev.holdfast.lock.LeaseLock;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Several locks as one: all of them or none, whatever their kinds and whichever clients they come from.
 *
 * <p>They are taken one after another in a fixed order, within one wait; when one refuses, those already taken are given back. Since everybody takes
 * them in the same order, nobody waits for each other. Losing one is losing all: the rest is then given back.
 *
 * <p>The fencing token is the greatest of the members'. It grows from holder to holder of the same locks together; it does not compare with the
 * token of somebody who holds one of them alone.
 *
 * <p>The listeners of the first lock's client hear of the whole under its name, {@code [a, b]}, beside what each client's listeners hear of the parts.
 *
 * <p>Where the names belong to one client, {@link dev.holdfast.lock.LockClient#getMultiLock} needs fewer round trips. Thread-safe.
 */
public final class MultiLock extends CompositeLock {

    private final List<LeaseLock> members;

    private MultiLock(String name, List<LeaseLock> members, Duration defaultWait) {
        super(name, defaultWait, members.get(0));
        this.members = members;
    }

    /**
     * A lock over several. They are taken by name, then by kind; what is there twice counts once. Waits for 10 s where no wait is given.
     *
     * @param locks at least one. Each of one name: a lock over several names among them has no place in the order of those names
     * @return the lock over all of them
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
        return new MultiLock(name, sorted, DEFAULT_WAIT);
    }

    /**
     * A lock over several, taken in the order that is given. Whoever takes two of them must take them in that order.
     *
     * @param name what it is called
     * @param locks at least one, each once
     * @param defaultWait how long {@code acquire} waits where no wait is given
     * @return the lock over all of them
     */
    @CheckReturnValue
    public static MultiLock inOrder(String name, List<? extends LeaseLock> locks, Duration defaultWait) {
        if (locks.isEmpty()) {
            throw new IllegalArgumentException("A multi-lock must have at least one lock");
        }
        return new MultiLock(name, List.copyOf(locks), defaultWait);
    }

    @Override
    CompositeAttempt attempt(AcquireOptions options, Deadline deadline) {
        return new MultiAttempt(name(), members, options, deadline, callbacks());
    }

    /** Whether anybody holds one of them, so that this lock cannot be had. */
    @Override
    public boolean isLocked() {
        return members.stream().anyMatch(LeaseLock::isLocked);
    }

    /** Multi-locks over equal locks are one lock. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MultiLock lock && lock.members.equals(members);
    }

    @Override
    public int hashCode() {
        return members.hashCode();
    }
}
