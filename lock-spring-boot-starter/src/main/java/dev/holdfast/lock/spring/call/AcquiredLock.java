package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.declaration.LockOperation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** One lock of one call. The call either acquired the lock (it is its own) or borrows it from the call around it. */
public record AcquiredLock(LockRequest request, SharedLease shared, boolean own) implements AroundLock.HeldLock {

    private static final RateLimitedLog LOG = new RateLimitedLog(LogFactory.getLog(AcquiredLock.class));
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(2);

    Lease lease() {
        return own ? shared.lease() : shared.borrowed();
    }

    @Override
    public LockOperation operation() {
        return request.operation();
    }

    @Override
    public boolean share() {
        return shared.share();
    }

    @Override
    public void keepOnThread() {
        shared.keepByTransaction();
    }

    @Override
    public void leaveThread() {
        CallerContext.leave(shared);
    }

    @Override
    public boolean isHeld() {
        return shared.lease().isHeld();
    }

    boolean interruptsOnLoss() {
        return request.operation().settings().onLost() == OnLost.INTERRUPT;
    }

    /**
     * Leaves the lease; the last sharer releases it. Returns the loss that the caller must receive if the lease was lost before.
     *
     * @param failed whether the call, or the transaction that kept its lock, has failed
     */
    @Override
    @Nullable
    public LeaseLostException release(boolean failed) {
        if (!leave(failed)) {
            return loss();
        }
        try {
            shared.beforeRelease(true).join();
            return lossIn(shared.lease()::close);
        } finally {
            shared.around().forEach(AroundLock::released);
        }
    }

    /**
     * Does the same as {@link #release} without blocking. If Redis does not answer in time, completes and lets the release continue in the
     * background.
     */
    @Override
    public CompletableFuture<@Nullable LeaseLostException> releaseAsync(boolean failed) {
        if (!leave(failed)) {
            return CompletableFuture.completedFuture(loss());
        }
        return shared.beforeRelease(false).thenCompose(ended -> freeAsync());
    }

    /** Returns whether this call was the last to leave. A call that borrows the lease does not decide whether the run has failed. */
    private boolean leave(boolean failed) {
        if (own && failed) {
            shared.fail();
        }
        return shared.leave();
    }

    private CompletableFuture<@Nullable LeaseLostException> freeAsync() {
        return ReleaseTimer.limit(
                        shared.lease().releaseAsync().toCompletableFuture().copy(), RELEASE_TIMEOUT)
                .handle((done, failure) -> {
                    LeaseLostException loss =
                            failure != null && AroundLock.cause(failure) instanceof LeaseLostException lost
                                    ? byPolicy(lost)
                                    : null;
                    shared.around().forEach(AroundLock::released);
                    return loss;
                });
    }

    /** Returns the loss that the caller must receive; null if the lease is held or its loss is only reported. */
    @Override
    @Nullable
    public LeaseLostException loss() {
        return lossIn(shared.lease()::assertHeld);
    }

    private @Nullable LeaseLostException lossIn(Runnable step) {
        try {
            step.run();
            return null;
        } catch (LeaseLostException lost) {
            return byPolicy(lost);
        } catch (IllegalMonitorStateException released) {
            // The method released the lease itself, which is allowed.
            return null;
        }
    }

    private @Nullable LeaseLostException byPolicy(LeaseLostException lost) {
        // Recorded here as well, because the lease's callback may come later than the release.
        shared.around().forEach(feature -> feature.lost(lost.loss()));
        if (request.operation().settings().onLost() != OnLost.REPORT) {
            return lost;
        }
        LOG.warn(request.operation().signature() + " ran on without its lock: " + lost.getMessage());
        return null;
    }
}
