package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.internal.background.Background;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A lock that can be a member of a composite lock. Its futures complete on the library's own threads, so no caller's code can delay the whole. What
 * is chained to them must not block.
 */
public interface MemberLock extends LeaseLock {

    /** Publishes an event of a lock that this one is the first part of, to the listeners of this lock's client. Never blocks and never throws. */
    void tell(LockEvent event);

    /**
     * Acquires a lease like {@link #acquireAsync}.
     *
     * @return the lease or the failure; cancel it to give up
     */
    CompletableFuture<AbstractLease> acquireAsMember(AcquireOptions options);

    /** Makes every later token of this lock greater than that one, another server's. */
    CompletableFuture<Void> raiseTokens(long token);

    /** What the work of this lock's client runs on. */
    Background background();

    /** Whether the current thread may wait for a lock. One that serves many requests may not. */
    boolean mayWait();

    /** Runs the code of this lock's callers. */
    Executor callbacks();

    /** The threads' holds of the client's locks, and of the composite locks whose first member is one of these. They end with the client. */
    ThreadHolds<?> holds();
}
