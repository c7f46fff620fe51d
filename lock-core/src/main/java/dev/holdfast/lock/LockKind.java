package dev.holdfast.lock;

/**
 * The kind of a lock or of a semaphore. All clients must use one kind for one name: a name that is held as one kind and requested as another is
 * refused with an error that names both. {@link #READ} and {@link #WRITE} are the two sides of one read/write lock.
 */
public enum LockKind {

    /** One holder at a time. Fair inside a client, not between clients: the fastest. */
    REENTRANT,

    /** One holder at a time, in order of arrival over all clients. Every waiter has a place in Redis. */
    FAIR,

    /** Held by any number of readers at once, never beside a writer. */
    READ,

    /** Held by one writer and no one else, except that the writing thread may read as well. */
    WRITE,

    /** At most a number of holders at a time, fair inside a client. Not for locks: {@link LockClient#getSemaphore} makes it. */
    SEMAPHORE,

    /** At most a number of holders at a time, in order of arrival over all clients. Not for locks: {@link LockClient#getFairSemaphore} makes it. */
    FAIR_SEMAPHORE;

    /** Whether it is granted in order of arrival over all clients. */
    public boolean isFair() {
        return this == FAIR || this == FAIR_SEMAPHORE;
    }

    /** Whether a number of permits says how many may hold it at once. */
    public boolean isSemaphore() {
        return this == SEMAPHORE || this == FAIR_SEMAPHORE;
    }
}
