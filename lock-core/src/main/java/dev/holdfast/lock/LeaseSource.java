package dev.holdfast.lock;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Grants leases: a {@link LeaseLock} to one holder at a time, a {@link LeaseSemaphore} to as many as it has permits. Thread-safe. */
public interface LeaseSource {

    /** The name, without the client's prefix. */
    String name();

    /** The kind of lock or semaphore. */
    LockKind kind();

    /** Acquires a lease within the client's default wait; fails like {@link #acquire(AcquireOptions)}. */
    @CheckReturnValue
    default Lease acquire() {
        return acquire(AcquireOptions.defaults());
    }

    /**
     * Acquires a lease.
     *
     * @param options wait (the client's default if none is given), lease, limits
     * @throws LockNotAcquiredException if busy to the end of the wait
     * @throws LockUnavailableException if Redis did not answer at the end of the wait
     * @throws LockInterruptedException if the thread was interrupted before or while waiting
     * @throws IllegalStateException if busy on a thread that must not wait, such as an event loop
     */
    @CheckReturnValue
    Lease acquire(AcquireOptions options);

    /**
     * Tries once for a lease, without waiting.
     *
     * @return the lease; empty if busy
     * @throws LockUnavailableException if Redis did not answer
     */
    @CheckReturnValue
    default Optional<Lease> tryAcquire() {
        return tryAcquire(AcquireOptions.defaults());
    }

    /**
     * Tries for a lease.
     *
     * @param options wait (none if none is given), lease, limits
     * @return the lease, empty if still busy at the end of the wait
     * @throws LockUnavailableException if Redis did not answer at the end of the wait
     * @throws LockInterruptedException if the thread was interrupted before or while waiting
     * @throws IllegalStateException if busy on a thread that must not wait, such as an event loop
     */
    @CheckReturnValue
    Optional<Lease> tryAcquire(AcquireOptions options);

    /**
     * Acquires a lease without blocking the caller. Canceling {@code toCompletableFuture()} cancels the acquisition and leaves nothing behind.
     *
     * @param options wait (the client's default if none is given), lease, limits
     * @return the lease, or the failure that {@link #acquire(AcquireOptions)} throws
     */
    @CheckReturnValue
    CompletionStage<Lease> acquireAsync(AcquireOptions options);

    /**
     * Tries for a lease without blocking the caller. Canceling {@code toCompletableFuture()} cancels the acquisition and leaves nothing behind.
     *
     * @param options wait (none if none is given), lease, limits
     * @return the lease; empty if busy, or the failure that {@link #tryAcquire(AcquireOptions)} throws
     */
    @CheckReturnValue
    CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options);
}
