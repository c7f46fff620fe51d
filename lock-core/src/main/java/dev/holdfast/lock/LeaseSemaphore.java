package dev.holdfast.lock;

/**
 * A named semaphore: lets at most a number of holders in at a time, over all clients of one Redis.
 *
 * <p>A permit is a {@link Lease}. It belongs to no thread, has a fencing token, is renewed by the watchdog unless a lease is given, and reports its
 * loss. The permit of a process that died is free when its lease ends. A semaphore is not re-entrant: a thread that acquires twice holds two permits.
 *
 * <p>The number of permits is this object's, not a number in Redis. A permit is granted to a caller only while fewer permits are held, by any client,
 * than there are for that caller. To change the number while the fleet runs, get the semaphore with another number: {@code
 * client.getSemaphore(name, 3)}. A smaller number takes no permit away. Its callers wait until enough permits have been released. While callers with
 * different numbers wait, the first in line keeps the others waiting, so the smaller number prevails.
 *
 * <p>Each permit has a token of its own. A later grant by Redis has a greater token than every earlier one, but there are several holders at a time:
 * a store that refuses smaller tokens would refuse a holder whose permit is valid. Use the token to tell holders apart.
 *
 * <p><i>Busy</i>, <i>down</i> and <i>lost</i> are different failures, as for a {@link LeaseLock}. Thread-safe, for platform and virtual threads.
 */
public interface LeaseSemaphore extends LeaseSource {

    /** The largest number of permits. */
    int MAX_PERMITS = 10_000;

    /** The number of permits for callers of this object. */
    int permits();

    /** How many permits this object's callers could be granted now if nobody waited; zero if more are held than there are. Asks Redis. */
    @CheckReturnValue
    int availablePermits();
}
