package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.OnUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call's asking for one lock, until it is known what comes of it.
 *
 * @param entrance where it is asked for
 * @param request the lock
 * @param names those of its names that no surrounding call holds
 * @param covered the surrounding call's hold, where that has all of them
 * @param observation observes the acquisition and the hold
 */
record Attempt(
        Entrance entrance,
        LockRequest request,
        List<String> names,
        @Nullable Hold covered,
        LockObservation observation) {

    LeaseLock lock() {
        return entrance.lock(request, names);
    }

    /** Waits for it. Who has it is only looked up where somebody wants to know: a call that is left out does not. */
    Lease acquire() {
        AcquireOptions options = request.terms().options();
        if (!isLeftOutWhenBusy()) {
            return lock().acquire(options);
        }
        return lock().tryAcquire(options).orElseThrow(() -> busy(options));
    }

    private boolean isLeftOutWhenBusy() {
        return request.operation().fallback() == null && request.operation().skipsBusy();
    }

    /** The surrounding call lends its lease, which is made longer where this one wants it longer. Asks Redis only for that. */
    void lend(Hold hold) {
        Duration longer = wantsLonger(hold);
        if (longer == null) {
            return;
        }
        try {
            hold.lease().extend(longer);
        } catch (RuntimeException | Error e) {
            hold.leaveAndGiveBack();
            throw e;
        }
    }

    private @Nullable Duration wantsLonger(Hold hold) {
        return hold.renewed()
                ? null
                : request.terms()
                        .options()
                        .givenLease()
                        .filter(lease -> hold.lease().remaining().compareTo(lease) < 0)
                        .orElse(null);
    }

    void borrowed(Hold hold, Admission admission) {
        admission.add(new Stay(request, hold, false));
    }

    /** Asks without waiting on this thread. Cancelling the future gives up. */
    CompletableFuture<Lease> acquireAsync() {
        if (covered != null) {
            // Making a lease longer asks Redis and waits for it.
            return wantsLonger(covered) == null
                    ? CompletableFuture.completedFuture(covered.lease())
                    : CompletableFuture.runAsync(() -> lend(covered)).thenApply(longer -> covered.lease());
        }
        AcquireOptions options = request.terms().options();
        if (!isLeftOutWhenBusy()) {
            return lock().acquireAsync(options).toCompletableFuture();
        }
        CompletableFuture<Optional<Lease>> asked =
                lock().tryAcquireAsync(options).toCompletableFuture();
        CompletableFuture<Lease> lease = new CompletableFuture<>();
        asked.whenComplete((got, failure) -> {
            boolean taken = failure != null
                    ? lease.completeExceptionally(failure)
                    : got.map(lease::complete).orElseGet(() -> lease.completeExceptionally(busy(options)));
            if (!taken && got != null) {
                got.ifPresent(Lease::releaseAsync);
            }
        });
        lease.whenComplete((got, failure) -> {
            if (lease.isCancelled()) {
                asked.cancel(false);
            }
        });
        return lease;
    }

    /** Takes in what {@link #acquireAsync()} brought. */
    void admit(Lease lease, Admission admission) {
        if (covered == null) {
            got(lease, admission);
        } else {
            borrowed(covered, admission);
        }
    }

    private LockNotAcquiredException busy(AcquireOptions options) {
        return new LockNotAcquiredException(names.get(0), options.givenWait().orElse(Duration.ZERO), null, null);
    }

    void got(Lease lease, Admission admission) {
        AcquireOptions options = request.terms().options();
        observation.acquired(lease.fencingToken());
        if (observation != LockObservation.NONE) {
            lease.onLost(observation::lost);
        }
        Hold hold = new Hold(entrance, names, request.kind(), lease, options.isRenewed(), observation);
        admission.add(new Stay(request, hold, true));
    }

    /** Somebody else has it, or Redis could not be asked. Returns nothing where the body runs all the same. */
    @Nullable
    Refusal refused(LockException reason) {
        if (reason instanceof LockNotAcquiredException) {
            observation.refused(isLeftOutWhenBusy() ? "skipped" : "busy");
            return new Refusal(request, reason);
        }
        boolean proceeds = request.terms().onUnavailable() == OnUnavailable.PROCEED;
        observation.refused("unavailable");
        return proceeds ? null : new Refusal(request, reason);
    }

    void failed(Throwable failure) {
        observation.failed(failure);
    }
}
