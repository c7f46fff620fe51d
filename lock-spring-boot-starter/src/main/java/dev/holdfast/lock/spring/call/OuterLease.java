package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseSource;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.call.AcquiredLocks.AcquiredLock;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import kotlin.coroutines.CoroutineContext;
import org.jspecify.annotations.Nullable;

/** The lease of an annotated function, lent to code in its coroutine that needs the same lock. {@code withLease} of {@code lock-kotlin} uses it. */
public final class OuterLease {

    private final SharedLease shared;

    private OuterLease(SharedLease shared) {
        this.shared = shared;
    }

    /**
     * Borrows the lease under which a coroutine runs. The locks of a blocking call are not lent: they belong to its thread, on which unrelated
     * coroutines may run meanwhile.
     *
     * @return null if the lock must be acquired
     * @throws IllegalStateException if the coroutine would wait for an annotated call that waits for it
     */
    public static @Nullable OuterLease find(CoroutineContext context, LeaseSource lock) {
        CallerContext outer = CoroutineLocks.in(context);
        for (SharedLease shared : outer.held()) {
            if (shared.covers(lock) && shared.share()) {
                return new OuterLease(shared);
            }
        }
        Stream.concat(outer.held().stream(), CallerContext.current().held().stream())
                .filter(shared -> shared.isOf(lock))
                .findFirst()
                .ifPresent(shared -> refuse(shared, lock));
        return null;
    }

    private static void refuse(SharedLease shared, LeaseSource lock) {
        throw new IllegalStateException("Lock '" + LogText.escape(lock.name()) + "' (" + lock.kind() + ") is held as "
                + shared.call().operation().kind() + " by "
                + shared.call().operation().signature()
                + ", which waits for this code: the code would wait for itself. In a suspending function the same kind of lock is borrowed; in"
                + " a blocking one use LockContext.current()");
    }

    /** Returns the lease. The borrower cannot release it. */
    public Lease lease() {
        return shared.borrowed();
    }

    /** Ends the borrowing. Releases the lock if the annotated function has already ended. Never fails: the annotated function reports a loss. */
    public CompletionStage<?> leave() {
        return new AcquiredLock(shared.call(), shared, false).release(false, false);
    }
}
