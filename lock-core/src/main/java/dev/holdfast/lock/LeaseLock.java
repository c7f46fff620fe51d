package dev.holdfast.lock;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A named lock, shared by everything that uses the same Redis and the same name.
 *
 * <p>As a {@link Lock} it is owned by a thread and re-entrant: the thread's holds are counted in this process, and only the outermost goes to Redis.
 * {@link #acquire} and its variants return {@link Lease}s, which belong to no thread. A lease is not re-entrant, not even for the thread that
 * acquired it.
 *
 * <p>Without a given lease the lock is renewed until it is released or this process ends. With one it ends when the lease does.
 *
 * <p>A hold whose lease was lost or has expired affects only its own unlock. The thread's next {@code lock} or {@code tryLock} acquires the lock
 * anew, and {@link #holdCount()} counts only later acquisitions. Each {@link #unlock()} that belongs to the lost hold throws {@link
 * LeaseLostException}. Unlocks are paired from the inside out: a thread that acquired the lock again inside a lost hold first releases the new one.
 * A thread that never unlocks can acquire the lock again as often as it likes.
 *
 * <p>There are three different failures: <i>busy</i> is {@code false} or {@link LockNotAcquiredException}, <i>down</i> is {@link
 * LockUnavailableException}, and <i>lost</i> is {@link LeaseLostException}. A wait covers everything, outages included: the call returns within it,
 * plus at most one command timeout. Thread-safe, for platform and virtual threads.
 *
 * <p>On a thread that serves many requests (an event loop of Netty, a {@code NonBlocking} thread of Reactor) no method waits for a busy lock: a call
 * that would wait fails at once with {@link IllegalStateException}. Use {@link #acquireAsync} there.
 */
public interface LeaseLock extends Lock, LeaseSource {

    /** Waits until the lock is acquired, also through outages. An interrupt does not end the wait; the thread's interrupt status is set afterward. */
    @Override
    void lock();

    /**
     * Like {@link #lock()}, for a lease of fixed length.
     *
     * @param lease 10 ms to 24 h
     */
    void lock(Duration lease);

    /**
     * Waits until the lock is acquired or the thread is interrupted.
     *
     * @throws InterruptedException if interrupted before or while waiting; nothing is held then
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Like {@link #lockInterruptibly()}, for a lease of fixed length.
     *
     * @param lease 10 ms to 24 h
     * @throws InterruptedException if interrupted before or while waiting; nothing is held then
     */
    void lockInterruptibly(Duration lease) throws InterruptedException;

    /**
     * Tries once, without waiting.
     *
     * @return false if busy, also if this thread's own read lock prevents it from writing
     * @throws LockUnavailableException if Redis did not answer
     */
    @CheckReturnValue
    @Override
    boolean tryLock();

    /**
     * Tries until the wait ends.
     *
     * @param wait how long; zero or less tries once
     * @return false if still busy at the end
     * @throws InterruptedException if interrupted before or while waiting
     * @throws LockUnavailableException if Redis did not answer at the end
     */
    @CheckReturnValue
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Tries until the wait ends, for a lease of fixed length.
     *
     * @param wait how long; zero or less tries once
     * @param lease 10 ms to 24 h
     * @return false if still busy at the end
     * @throws InterruptedException if interrupted before or while waiting
     * @throws LockUnavailableException if Redis did not answer at the end
     */
    @CheckReturnValue
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /**
     * Ends one hold of this thread. The last one releases the lock.
     *
     * @throws LeaseLostException if the lease of the hold ended before; the hold ends all the same, and the next owner is not affected. If a thread
     *     leaves more than 100 lost holds without unlock, the oldest are forgotten, and their unlock finds no hold
     * @throws IllegalMonitorStateException if this thread has no hold
     */
    @Override
    void unlock();

    /**
     * Not supported: a condition cannot work across processes.
     *
     * @throws UnsupportedOperationException always, as {@link Lock} allows
     */
    @Override
    Condition newCondition();

    /** Whether the lock is held, by any client. Asks Redis. */
    @CheckReturnValue
    boolean isLocked();

    /** Whether this thread has a hold whose lease is still valid. Answers locally. */
    @CheckReturnValue
    boolean isHeldByCurrentThread();

    /** The number of this thread's holds; 0 if not held, also after the hold was lost. Answers locally. */
    int holdCount();

    /** The remaining validity of this thread's hold; zero if not held. Answers locally. */
    Duration remainingLease();

    /**
     * The fencing token of this thread's hold.
     *
     * @throws LeaseLostException if the thread's hold was lost and it has not acquired the lock again
     * @throws IllegalMonitorStateException if this thread has no hold
     */
    long fencingToken();
}
