package dev.holdfast.lock;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A source of leases. A {@link LeaseLock} grants a lease to one holder at a time, a {@link LeaseSemaphore} to as many holders as it has permits.
 * Thread-safe.
 */
public interface LeaseSource {

    /** Returns the name, without the client's prefix. */
    String name();

    /** Returns the kind of this lock or semaphore. */
    LockKind kind();

    /** Acquires a lease within the client's default wait. Fails like {@link #acquire(AcquireOptions)}. */
    @CheckReturnValue
    default Lease acquire() {
        return acquire(AcquireOptions.defaults());
    }

    /**
     * Acquires a lease.
     *
     * @param options the wait (the client's default if none is given), the lease and its limits
     * @throws LockNotAcquiredException if the lock is still busy at the end of the wait
     * @throws LockUnavailableException if Redis did not answer at the end of the wait
     * @throws WrongLockKindException if the name is held as another kind of lock, or is the key of something else
     * @throws LockInterruptedException if the thread was interrupted before or during the wait
     * @throws IllegalStateException if the lock is busy and the current thread must not wait, such as the thread of an event loop
     */
    @CheckReturnValue
    Lease acquire(AcquireOptions options);

    /**
     * Tries once to acquire a lease, without a wait.
     *
     * @return the lease, or empty if the lock is busy
     * @throws LockUnavailableException if Redis did not answer
     */
    @CheckReturnValue
    default Optional<Lease> tryAcquire() {
        return tryAcquire(AcquireOptions.defaults());
    }

    /**
     * Tries to acquire a lease until the wait ends.
     *
     * @param options the wait (one try without a wait if none is given), the lease and its limits
     * @return the lease, or empty if the lock is still busy at the end of the wait
     * @throws LockUnavailableException if Redis did not answer at the end of the wait
     * @throws LockInterruptedException if the thread was interrupted before or during the wait
     * @throws IllegalStateException if the lock is busy and the current thread must not wait, such as the thread of an event loop
     */
    @CheckReturnValue
    Optional<Lease> tryAcquire(AcquireOptions options);

    /**
     * Acquires a lease without blocking the caller. Canceling {@code toCompletableFuture()} cancels the acquisition and leaves nothing behind.
     *
     * @param options the wait (the client's default if none is given), the lease and its limits
     * @return a stage with the lease, or with the failure that {@link #acquire(AcquireOptions)} would throw
     */
    @CheckReturnValue
    CompletionStage<Lease> acquireAsync(AcquireOptions options);

    /**
     * Tries to acquire a lease without blocking the caller. Canceling {@code toCompletableFuture()} cancels the acquisition and leaves nothing
     * behind.
     *
     * @param options the wait (one try without a wait if none is given), the lease and its limits
     * @return a stage with the lease, which is empty if the lock is busy, or with the failure that {@link #tryAcquire(AcquireOptions)} would throw
     */
    @CheckReturnValue
    CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options);
}
