package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.internal.background.Background;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A lock that can be a member of a composite lock. Its futures complete on the library's own threads, so no caller's code can delay the composite
 * lock. Functions that are chained to these futures must not block.
 */
public interface MemberLock extends LeaseLock {

    /**
     * Publishes an event of a composite lock whose first member is this lock. The listeners of this lock's client receive the event. Never blocks and
     * never throws.
     */
    void tell(LockEvent event);

    /**
     * Acquires a lease like {@link #acquireAsync}.
     *
     * @return a future with the lease or the failure. Canceling it gives up the acquisition
     */
    CompletableFuture<AbstractLease> acquireAsMember(AcquireOptions options);

    /** Makes every later token of this lock greater than the given token of another server. */
    CompletableFuture<Void> raiseTokens(long token);

    /** Returns the environment of this lock's client. */
    Background background();

    /** Returns whether the current thread may wait for a lock. A thread that serves many requests may not. */
    boolean mayWait();

    /** Returns the executor for callers' code. */
    Executor callbacks();

    /**
     * Returns the holds of all threads on the client's locks, and on the composite locks whose first member is a lock of this client. The holds end
     * with the client.
     */
    ThreadHolds<?> holds();
}
