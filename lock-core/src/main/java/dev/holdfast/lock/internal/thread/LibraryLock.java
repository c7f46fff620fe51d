package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A lock of this library, with what other parts of the library need: as a member of a composite lock, and for elections. Its futures complete on the
 * library's own threads, so no caller's code can delay the composite lock. Functions that are chained to these futures must not block.
 */
public interface LibraryLock extends LeaseLock {

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

    /** Returns whether the lock has one holder at a time. */
    boolean isExclusive();

    /** Returns whether Redis has this lock's client as a holder, or in the queue. Fails if Redis does not answer. */
    CompletableFuture<Boolean> isInRedis();

    /** Returns whether any of the answers is true. */
    static CompletableFuture<Boolean> any(List<CompletableFuture<Boolean>> answers) {
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> answers.stream().anyMatch(CompletableFuture::join));
    }

    /**
     * Returns the given lock as one that can be a member of another lock, or that an election can use.
     *
     * @param use the use that is not possible with a lock of another library
     */
    static LibraryLock of(LeaseLock lock, String use) {
        if (lock instanceof LibraryLock member) {
            return member;
        }
        throw new IllegalArgumentException("Lock '" + LogText.escape(lock.name()) + "' cannot be " + use
                + ": it must be one that a client of this library returned, was "
                + lock.getClass().getName());
    }

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
