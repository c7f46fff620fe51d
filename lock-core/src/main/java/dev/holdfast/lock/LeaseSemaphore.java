package dev.holdfast.lock;

/**
 * A named semaphore. It limits the number of holders at a time, over all clients of one Redis.
 *
 * <p>A permit is a {@link Lease}. It belongs to no thread, has a fencing token, is renewed by the watchdog unless a lease is given, and reports its
 * loss. If a process dies, its permit is free when the lease of that permit ends. A semaphore is not re-entrant: a thread that acquires twice holds
 * two permits.
 *
 * <p>The number of permits belongs to this object and is not stored in Redis. A caller is granted a permit only while the number of held permits,
 * over all clients, is below the caller's own number of permits. To change the number while the fleet runs, get the semaphore with another number:
 * {@code client.getSemaphore(name, 3)}. A smaller number takes no permit away: its callers wait until enough permits have been released. While
 * callers with different numbers wait, the first waiter keeps the others waiting, so the smaller number prevails.
 *
 * <p>Each permit has its own fencing token. The token of a grant by Redis is greater than the tokens of all earlier grants. However, a semaphore has
 * several holders at a time, so a store that refuses smaller tokens would refuse a holder whose permit is valid. Use the token only to distinguish
 * holders.
 *
 * <p><i>Busy</i>, <i>down</i> and <i>lost</i> are different failures, as for a {@link LeaseLock}. Thread-safe, for platform and virtual threads.
 */
public interface LeaseSemaphore extends LeaseSource {

    /** The largest number of permits. */
    int MAX_PERMITS = 10_000;

    /** Returns the number of permits for callers of this object. */
    int permits();

    /**
     * Returns how many more permits Redis could grant to this object's callers now if nobody waited. Returns zero if at least {@link #permits()}
     * permits are held. Asks Redis.
     */
    @CheckReturnValue
    int availablePermits();
}
