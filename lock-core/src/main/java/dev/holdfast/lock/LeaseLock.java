package dev.holdfast.lock;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A named lock, shared by all clients that use the same Redis and the same name.
 *
 * <p>When used as a {@link Lock}, it is owned by a thread and re-entrant: the thread's holds are counted in this process, and only the outermost hold
 * is acquired and released in Redis. {@link #acquire} and its variants return {@link Lease}s, which belong to no thread. A lease is not re-entrant,
 * not even for the thread that acquired it.
 *
 * <p>Without a given lease, the lock is renewed until it is released or this process ends. With a given lease, the hold ends with the lease.
 *
 * <p>A hold whose lease was lost or has expired affects only its own unlock. The thread's next {@code lock} or {@code tryLock} acquires the lock
 * anew, and {@link #holdCount()} counts only later acquisitions. Each {@link #unlock()} that belongs to the lost hold throws {@link
 * LeaseLostException}. Unlocks are paired from the inside out: a thread that acquired the lock again inside a lost hold first releases the new one. A
 * thread that never unlocks can acquire the lock again as often as it likes.
 *
 * <p>There are three different failures: <i>busy</i> is reported by {@code false} or {@link LockNotAcquiredException}, <i>down</i> by {@link
 * LockUnavailableException}, and <i>lost</i> by {@link LeaseLostException}. A wait includes outages of Redis: the call returns within the wait plus
 * at most one command timeout. Thread-safe, for platform and virtual threads.
 *
 * <p>On a thread that serves many requests (an event loop of Netty, a {@code NonBlocking} thread of Reactor) no method waits for a busy lock: a call
 * that would wait fails at once with {@link IllegalStateException}. Use {@link #acquireAsync} there.
 */
public interface LeaseLock extends Lock, LeaseSource {

    /**
     * Waits until the lock is acquired, even during outages of Redis. An interrupt does not end the wait. The thread's interrupt status is then set
     * when this method returns.
     */
    @Override
    void lock();

    /**
     * Waits like {@link #lock()}, but acquires a lease of fixed length.
     *
     * @param lease 10 ms to 24 h
     */
    void lock(Duration lease);

    /**
     * Waits until the lock is acquired or the thread is interrupted.
     *
     * @throws InterruptedException if the thread is interrupted before or during the wait; nothing is then held
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Waits like {@link #lockInterruptibly()}, but acquires a lease of fixed length.
     *
     * @param lease 10 ms to 24 h
     * @throws InterruptedException if the thread is interrupted before or during the wait; nothing is then held
     */
    void lockInterruptibly(Duration lease) throws InterruptedException;

    /**
     * Tries to acquire the lock once, without a wait.
     *
     * @return false if the lock is busy. A write lock is also busy if this thread holds only the read lock of the same name
     * @throws LockUnavailableException if Redis did not answer
     */
    @CheckReturnValue
    @Override
    boolean tryLock();

    /**
     * Tries to acquire the lock until the wait ends.
     *
     * @param wait the maximum wait; zero or less means one try
     * @return false if the lock is still busy at the end of the wait
     * @throws InterruptedException if the thread is interrupted before or during the wait
     * @throws LockUnavailableException if Redis did not answer at the end of the wait
     */
    @CheckReturnValue
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Tries to acquire the lock with a lease of fixed length until the wait ends.
     *
     * @param wait the maximum wait; zero or less means one try
     * @param lease 10 ms to 24 h
     * @return false if the lock is still busy at the end of the wait
     * @throws InterruptedException if the thread is interrupted before or during the wait
     * @throws LockUnavailableException if Redis did not answer at the end of the wait
     */
    @CheckReturnValue
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /**
     * Ends one hold of this thread. Ending the thread's last hold releases the lock.
     *
     * @throws LeaseLostException if the lease of the hold had already ended; the hold still ends, and the next owner is not affected. If a thread
     *     leaves more than 100 lost holds without an unlock, the oldest of these holds are forgotten, and an unlock for one of them finds no hold
     * @throws IllegalMonitorStateException if this thread has no hold
     */
    @Override
    void unlock();

    /**
     * Ends one hold of this thread like {@link #unlock()}, but does not wait for Redis: the release of the last hold is sent, and the call returns. The
     * release precedes the next request of this client, unless the connection breaks or the client has {@code minReplicas}: then a try without a wait
     * can find the lock taken. If the transaction of the work has ended before this call, the next holder sees its writes as it does after {@code
     * unlock()}.
     *
     * @return a stage that completes when Redis has freed the lock or a waiter of this client has received it. It fails with {@link
     *     LeaseLostException} if only the answer of Redis shows that the lease had ended, which listeners are told as well
     * @throws LeaseLostException if this client knows already that the lease of the hold has ended
     * @throws IllegalMonitorStateException if this thread has no hold
     */
    CompletionStage<Void> unlockAsync();

    /**
     * Not supported: a condition cannot work across processes.
     *
     * @throws UnsupportedOperationException always, as {@link Lock} allows
     */
    @Override
    Condition newCondition();

    /** Returns whether any client holds the lock. Asks Redis. */
    @CheckReturnValue
    boolean isLocked();

    /** Returns whether this thread has a hold whose lease is still valid. Answers locally. */
    @CheckReturnValue
    boolean isHeldByCurrentThread();

    /** Returns the number of this thread's holds. Returns 0 if the thread has no hold or its hold was lost. Answers locally. */
    int holdCount();

    /** Returns how long the lease of this thread's hold stays valid, or zero if the thread has no hold. Answers locally. */
    Duration remainingLease();

    /**
     * Returns the fencing token of this thread's hold.
     *
     * @throws LeaseLostException if the thread's hold was lost and it has not acquired the lock again
     * @throws IllegalMonitorStateException if this thread has no hold
     */
    long fencingToken();
}
