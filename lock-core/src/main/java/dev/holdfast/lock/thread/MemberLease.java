package dev.holdfast.lock.thread;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import java.util.concurrent.CompletableFuture;

/** A lease that can be part of another lease. Its futures complete on the library's own threads; what is chained to them must not block. */
public interface MemberLease extends Lease {

    /** Releases the lease like {@link #releaseAsync()}. */
    CompletableFuture<Void> releaseAsMember();

    /** Completes when the lease is lost. */
    CompletableFuture<LeaseLoss> loss();
}
