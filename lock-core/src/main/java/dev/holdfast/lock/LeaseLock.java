package dev.holdfast.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A named lock, shared by everything that uses the same Redis and the same name.
 *
 * <p>Seen as a {@link Lock} it is owned by a thread and re-entrant: the thread's holds are counted in this process, and only the outermost
 * goes to Redis. Seen through {@link #acquire} and its kin it gives out {@link Lease}s, which belong to whoever has them; a lease does not
 * re-enter, not even for the thread that took it.
 *
 * <p>Without a given lease the lock is renewed for as long as it is held and this process lives. With one it ends when the lease does.
 *
 * <p>A hold whose lease was lost or has expired no longer affects its thread's calls, except for its unlock. The thread's next {@code lock} or
 * {@code tryLock} acquires the lock afresh, and {@link #holdCount()} counts only what was acquired since. Each {@link #unlock()} that belongs to the lost
 * hold throws {@link LeaseLostException}. Unlocks are paired from the inside out: a thread that acquired the lock again inside a lost hold first
 * releases the new one. A thread that never unlocks can acquire the lock again as often as it likes.
 *
 * <p>Three answers are kept apart: <i>busy</i> is {@code false} or {@link LockNotAcquiredException}; <i>down</i> is
 * {@link LockUnavailableException}; <i>lost</i> is {@link LeaseLostException}. A wait is one budget over everything: the call returns within
 * it, plus one command timeout at the worst. Thread-safe; platform and virtual threads alike.
 */
public interface LeaseLock extends Lock {

    /**
     * The lock's name.
     *
     * @return the name as it was asked for, without the client's prefix
     */
    String name();

    /**
     * What kind of lock it is.
     *
     * @return the kind as it was asked for
     */
    LockKind kind();

    /** Waits for as long as it takes, through outages too. Not interruptible: an interrupt is kept for afterwards. */
    @Override
    void lock();

    /**
     * Like {@link #lock()}, for a lease of fixed length.
     *
     * @param lease 10 ms to 24 h
     */
    void lock(Duration lease);

    /**
     * Waits for as long as it takes, or until interrupted.
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
     * Tries once, without waiting for anybody.
     *
     * @return false if busy, also where this thread's own read lock keeps it from writing
     * @throws LockUnavailableException if Redis could not be asked
     */
    @CheckReturnValue
    @Override
    boolean tryLock();

    /**
     * Tries for a while.
     *
     * @param wait how long; zero or less tries once
     * @return false if still busy at the end
     * @throws InterruptedException if interrupted before or while waiting
     * @throws LockUnavailableException if Redis could not be asked at the end
     */
    @CheckReturnValue
    boolean tryLock(Duration wait) throws InterruptedException;

    /**
     * Tries for a while, for a lease of fixed length.
     *
     * @param wait how long; zero or less tries once
     * @param lease 10 ms to 24 h
     * @return false if still busy at the end
     * @throws InterruptedException if interrupted before or while waiting
     * @throws LockUnavailableException if Redis could not be asked at the end
     */
    @CheckReturnValue
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /**
     * Gives up one hold of this thread; the last one releases the lock.
     *
     * @throws LeaseLostException if the lease of the hold ended before; the hold is given up all the same, and the next owner is not touched. Where a
     *     thread has left more than 100 lost holds without unlock, the oldest are forgotten, and their unlock finds no hold
     * @throws IllegalMonitorStateException if this thread has no hold
     */
    @Override
    void unlock();

    /**
     * Not offered: a condition cannot be kept across processes.
     *
     * @throws UnsupportedOperationException always, as {@link Lock} allows
     */
    @Override
    Condition newCondition();

    /**
     * Whether anybody holds the lock. Asks Redis.
     *
     * @return true if held by whomever
     */
    @CheckReturnValue
    boolean isLocked();

    /**
     * Whether this thread has a hold whose lease is still valid. Answers locally.
     *
     * @return true if held
     */
    @CheckReturnValue
    boolean isHeldByCurrentThread();

    /**
     * How often this thread has entered. Answers locally.
     *
     * @return 0 when not held, also after the hold was lost
     */
    int holdCount();

    /**
     * The validity left to this thread's hold. Answers locally.
     *
     * @return zero when not held
     */
    Duration remainingLease();

    /**
     * The fencing token of this thread's hold.
     *
     * @return the token
     * @throws LeaseLostException if the thread's hold was lost and it has not acquired the lock again
     * @throws IllegalMonitorStateException if this thread has no hold
     */
    long fencingToken();

    /**
     * Acquires a lease, waiting for the client's default wait.
     *
     * @return the lease
     * @throws LockNotAcquiredException if busy to the end of the wait
     * @throws LockUnavailableException if Redis could not be asked at the end of the wait
     * @throws LockInterruptedException if the thread was interrupted before or while waiting
     */
    @CheckReturnValue
    default Lease acquire() {
        return acquire(AcquireOptions.defaults());
    }

    /**
     * Acquires a lease.
     *
     * @param options wait (the client's default where none is given), lease, holds
     * @return the lease
     * @throws LockNotAcquiredException if busy to the end of the wait
     * @throws LockUnavailableException if Redis could not be asked at the end of the wait
     * @throws LockInterruptedException if the thread was interrupted before or while waiting
     */
    @CheckReturnValue
    Lease acquire(AcquireOptions options);

    /**
     * Tries once for a lease, without waiting for anybody.
     *
     * @return the lease, empty if busy
     * @throws LockUnavailableException if Redis could not be asked
     */
    @CheckReturnValue
    default Optional<Lease> tryAcquire() {
        return tryAcquire(AcquireOptions.defaults());
    }

    /**
     * Tries for a lease.
     *
     * @param options wait (none where none is given), lease, holds
     * @return the lease, empty if still busy at the end of the wait
     * @throws LockUnavailableException if Redis could not be asked at the end of the wait
     * @throws LockInterruptedException if the thread was interrupted before or while waiting
     */
    @CheckReturnValue
    Optional<Lease> tryAcquire(AcquireOptions options);

    /**
     * Acquires a lease without blocking the caller. Cancelling {@code toCompletableFuture()} gives up and leaves nothing behind.
     *
     * @param options wait (the client's default where none is given), lease, holds
     * @return the lease, or the failure that {@link #acquire(AcquireOptions)} throws
     */
    @CheckReturnValue
    CompletionStage<Lease> acquireAsync(AcquireOptions options);

    /**
     * Tries for a lease without blocking the caller. Cancelling {@code toCompletableFuture()} gives up and leaves nothing behind.
     *
     * @param options wait (none where none is given), lease, holds
     * @return the lease, empty if busy, or the failure that {@link #tryAcquire(AcquireOptions)} throws
     */
    @CheckReturnValue
    CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options);
}
