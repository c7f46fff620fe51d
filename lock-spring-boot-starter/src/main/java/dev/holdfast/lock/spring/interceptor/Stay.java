package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.annotation.OnLost;
import dev.holdfast.lock.spring.interceptor.LockCallListener.Progress;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One lock of one call while the body has it: taken by this call, or lent by the call around it.
 *
 * @param request what was asked for
 * @param hold what the call has
 * @param own whether this call took it, and gives it back
 * @param progress told of its end
 * @param since when the call got it, on {@link System#nanoTime()}
 */
record Stay(LockRequest request, Hold hold, boolean own, Progress progress, long since) {

    private static final Log LOG = LogFactory.getLog(LockInterceptor.class);

    /** The lease as the body gets it. */
    Lease lease() {
        return own ? hold.lease() : new LentLease(hold.lease());
    }

    /** Gives the lock back, or to the call around it. Returns what the caller must be told of: that the lease ended before the body did. */
    @Nullable
    LeaseLostException giveBack() {
        try {
            if (own) {
                hold.lease().close();
            } else if (!hold.lease().isHeld()) {
                hold.lease().assertHeld();
            }
            return null;
        } catch (LeaseLostException lost) {
            return lostDuring(lost);
        } catch (IllegalMonitorStateException released) {
            // The body gave it back itself, which is its right.
            return null;
        } finally {
            progress.onReleased(Duration.ofNanos(LockCallListeners.now(progress) - since));
        }
    }

    /** What the policy makes of a loss. */
    @Nullable
    LeaseLostException lostDuring(LeaseLostException lost) {
        if (request.terms().onLost() == OnLost.THROW) {
            return lost;
        }
        LOG.warn(Signatures.of(request.operation().method()) + " ran on without its lock: " + lost.getMessage());
        return null;
    }
}
