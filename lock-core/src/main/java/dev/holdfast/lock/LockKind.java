package dev.holdfast.lock;

/**
 * The kind of a lock or semaphore. All clients must use the same kind for one name: a request for a name that is held as another kind is refused with
 * a {@link WrongLockKindException} that names both kinds. {@link #READ} and {@link #WRITE} are the two sides of one read/write lock.
 */
public enum LockKind {

    /** One holder at a time. Fair within a client, but not between clients. The fastest kind. */
    REENTRANT,

    /** One holder at a time, in the order of arrival over all clients. Every waiter has a place in the lock's queue in Redis. */
    FAIR,

    /** The readers' side of a read/write lock. Any number of readers hold it at once, but never together with a writer. */
    READ,

    /** The writer's side of a read/write lock. One writer holds it and excludes all other holders. Only the writing thread may read as well. */
    WRITE,

    /** A limited number of holders at a time, fair within a client. Only for {@link LockClient#getSemaphore}, not for locks. */
    SEMAPHORE,

    /**
     * A limited number of holders at a time, in the order of arrival over all clients. Only for {@link LockClient#getFairSemaphore}, not for locks.
     */
    FAIR_SEMAPHORE;

    /** Returns whether this kind is granted in the order of arrival over all clients. */
    public boolean isFair() {
        return this == FAIR || this == FAIR_SEMAPHORE;
    }

    /** Returns whether a lock of this kind has one holder at a time. */
    public boolean isExclusive() {
        return this != READ && !isSemaphore();
    }

    /** Returns whether a number of permits limits how many holders there are at once. */
    public boolean isSemaphore() {
        return this == SEMAPHORE || this == FAIR_SEMAPHORE;
    }
}
