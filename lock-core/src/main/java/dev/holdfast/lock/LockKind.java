package dev.holdfast.lock;

/**
 * The kind of a lock. All clients must use one kind for one name: a name that is held as one kind and requested as another is refused with an error
 * that names both. {@link #READ} and {@link #WRITE} are the two sides of one read/write lock.
 */
public enum LockKind {

    /** One holder at a time. Fair inside a client, not between clients: the fastest. */
    REENTRANT,

    /** One holder at a time, in order of arrival over all clients. Every waiter has a place in Redis. */
    FAIR,

    /** Held by any number of readers at once, never beside a writer. */
    READ,

    /** Held by one writer and no one else, except that the writing thread may read as well. */
    WRITE
}
