package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LockKind;

/**
 * What tells one lock of a client from another. Locks of one key but different kinds are different locks.
 *
 * @param kind how it is acquired
 * @param key its key in Redis
 * @param permits of a semaphore: how many permits it has for those who wait here; 0 for a lock
 */
public record LockId(LockKind kind, String key, int permits) {

    /** A lock's. */
    public LockId(LockKind kind, String key) {
        this(kind, key, 0);
    }

    /** Without the kind's own: the order in which locks are found must not depend on the JVM. */
    @Override
    public int hashCode() {
        return 31 * (31 * key.hashCode() + kind.name().hashCode()) + permits;
    }
}
