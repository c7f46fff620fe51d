package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import java.util.concurrent.CompletableFuture;

/** A lease that can be a member of a composite lease. Its futures complete on the library's own threads; what is chained to them must not block. */
public interface MemberLease extends Lease {

    /**
     * Releases the lease. The whole decides how long the lock stays taken: a member that is released because another one was busy is free at once.
     *
     * @param keepNanos how long the lock stays taken from now on, in place of its minimum hold
     * @return like {@link #releaseAsync()}
     */
    CompletableFuture<Void> releaseAsMember(long keepNanos);

    /** Completes when the lease is lost. */
    CompletableFuture<LeaseLoss> loss();
}
