package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.LockKind;

/**
 * The identity of a lock within a client. Locks with the same key but different kinds are different locks.
 *
 * @param kind the kind of the lock
 * @param key the key of the lock in Redis
 * @param permits the number of permits that a semaphore has for its local callers; 0 for a lock
 */
public record LockId(LockKind kind, String key, int permits) {

    /** Creates the identity of a lock without permits. */
    public LockId(LockKind kind, String key) {
        this(kind, key, 0);
    }

    /** Uses the name of the kind instead of its own hash code, so that the order in which locks are found does not depend on the JVM. */
    @Override
    public int hashCode() {
        return 31 * (31 * key.hashCode() + kind.name().hashCode()) + permits;
    }
}
