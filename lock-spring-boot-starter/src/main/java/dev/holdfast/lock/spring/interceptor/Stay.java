package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.OnLost;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One lock of one call while the body has it: taken by this call, or lent by the call around it.
 *
 * @param request what was asked for
 * @param hold what the call has
 * @param own whether this call took it, and gives it back
 */
record Stay(LockRequest request, Hold hold, boolean own) {

    private static final FewLines LOG = new FewLines(LogFactory.getLog(LockInterceptor.class));

    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(2);

    /** The lease as the body gets it. */
    Lease lease() {
        return own ? hold.lease() : new LentLease(hold.lease());
    }

    /** Needs the lock no longer: the last one that shares it releases it, the others only learn whether it was held until now. */
    @Nullable
    LeaseLostException giveBack() {
        if (!hold.leave()) {
            return ended();
        }
        try {
            hold.lease().close();
            return null;
        } catch (LeaseLostException lost) {
            return lostDuring(lost);
        } catch (IllegalMonitorStateException released) {
            // The body gave it back itself, which is its right.
            return null;
        } finally {
            hold.observation().released();
        }
    }

    /** What the caller must be told of if the lease has ended. */
    @Nullable
    LeaseLostException ended() {
        try {
            hold.lease().assertHeld();
            return null;
        } catch (LeaseLostException lost) {
            return lostDuring(lost);
        } catch (IllegalMonitorStateException released) {
            return null;
        }
    }

    /**
     * Like {@link #giveBack()}, without waiting on this thread. Redis gets as long to answer as a thread would wait: what comes later goes on by
     * itself.
     */
    CompletableFuture<@Nullable LeaseLostException> giveBackAsync() {
        return hold.leave() ? released() : CompletableFuture.completedFuture(ended());
    }

    private CompletableFuture<@Nullable LeaseLostException> released() {
        return hold.lease()
                .releaseAsync()
                .toCompletableFuture()
                .copy()
                .completeOnTimeout(null, RELEASE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .handle((done, failure) -> {
                    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                    LeaseLostException loss = cause instanceof LeaseLostException lost ? lostDuring(lost) : null;
                    hold.observation().released();
                    return loss;
                });
    }

    /** What the policy makes of a loss. */
    @Nullable
    LeaseLostException lostDuring(LeaseLostException lost) {
        // The lease's own message may come later than the release.
        hold.observation().lost(lost.loss());
        if (request.terms().onLost() == OnLost.THROW) {
            return lost;
        }
        LOG.warn(Signatures.of(request.operation().method()) + " ran on without its lock: " + lost.getMessage());
        return null;
    }
}
