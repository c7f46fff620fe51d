package dev.holdfast.lock;

import java.time.Duration;

/**
 * Hears what happens to the locks of a client. Called in order on a thread of the client's own: a listener that throws is logged, one that
 * blocks delays later events, and neither costs a lock.
 */
public interface LockListener {

    /**
     * A lease was acquired.
     *
     * @param lockName the lock
     * @param fencingToken the lease's token
     * @param waited how long the caller waited
     */
    default void onAcquired(String lockName, long fencingToken, Duration waited) {}

    /**
     * A lease was given back by its holder.
     *
     * @param lockName the lock
     * @param fencingToken the lease's token
     * @param held how long it was held
     */
    default void onReleased(String lockName, long fencingToken, Duration held) {}

    /**
     * A wait ended and the lock was still busy.
     *
     * @param lockName the lock
     * @param waited how long
     */
    default void onTimedOut(String lockName, Duration waited) {}

    /**
     * A lease ended before it was released.
     *
     * @param loss what was lost, and why
     */
    default void onLost(LeaseLoss loss) {}

    /**
     * A renewal failed and is being tried again; the lease is still valid.
     *
     * @param lockName the lock
     * @param fencingToken the lease's token
     * @param remaining how long the lease stays valid if no further try succeeds
     * @param problem what went wrong
     */
    default void onRenewalTrouble(String lockName, long fencingToken, Duration remaining, Throwable problem) {}

    /**
     * A thread ended without unlocking. Its lease is renewed no longer and runs out.
     *
     * @param lockName the lock
     * @param fencingToken the lease's token
     * @param thread the name of the thread that died
     */
    default void onAbandoned(String lockName, long fencingToken, String thread) {}
}
