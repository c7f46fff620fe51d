package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.ThreadHolds.Hold;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A re-entrant lock that a thread holds. Only the outermost hold has a lease. Subclasses acquire this lease, and extend it for a nested hold.
 *
 * <p>A hold whose lease was lost affects only its own unlocks, which report the loss. Unlocks are paired from the inside out: first with the thread's
 * present hold, then with its lost hold.
 *
 * @param <L> the type of the lease of an outermost hold
 */
public abstract class ThreadLock<L extends AbstractLease> implements LibraryLock {

    /** The wait of calls that wait without a limit. */
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final String name;
    private final Duration defaultWait;
    private final ThreadHolds<L> holds;

    protected ThreadLock(String name, Duration defaultWait, ThreadHolds<L> holds) {
        this.name = name;
        this.defaultWait = defaultWait;
        this.holds = holds;
    }

    @Override
    public final ThreadHolds<L> holds() {
        return holds;
    }

    /** Returns the lock's key in the record of holds. It is equal for all objects that stand for the same lock. */
    protected Object identity() {
        return this;
    }

    /** Starts the acquisition of a lease that belongs to no thread. */
    protected abstract Acquisition<L> acquisition(AcquireOptions options, Duration wait);

    /** Starts the acquisition of the outermost hold's lease for the current thread. Returns null if this thread cannot get the lock. */
    protected abstract @Nullable Acquisition<L> threadAcquisition(AcquireOptions options, Duration wait);

    /** Extends a held lease to the length that a nested hold requires. Never shortens the lease. */
    protected abstract void lengthen(L lease, AcquireOptions options);

    @Override
    public String name() {
        return name;
    }

    @Override
    public void lock() {
        if (!lockUninterruptibly(AcquireOptions.defaults(), FOREVER)) {
            throw new LockNotAcquiredException(name, FOREVER, null, null);
        }
    }

    @Override
    public void lock(Duration lease) {
        if (!lockUninterruptibly(AcquireOptions.defaults().lease(lease), FOREVER)) {
            throw new LockNotAcquiredException(name, FOREVER, null, null);
        }
    }

    private boolean lockUninterruptibly(AcquireOptions options, Duration wait) {
        if (reenter(options)) {
            return true;
        }
        Duration allowed = allowed(wait);
        Acquisition<L> acquisition = threadAcquisition(options, allowed);
        return begin(acquisition == null ? Optional.empty() : acquisition.awaitUninterruptibly(), wait, allowed);
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        enter(AcquireOptions.defaults(), FOREVER);
    }

    @Override
    public void lockInterruptibly(Duration lease) throws InterruptedException {
        enter(AcquireOptions.defaults().lease(lease), FOREVER);
    }

    @Override
    public boolean tryLock() {
        return lockUninterruptibly(AcquireOptions.defaults(), Duration.ZERO);
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (unit == null) {
            throw new IllegalArgumentException("'unit' must not be null");
        }
        return enter(AcquireOptions.defaults(), Duration.ofNanos(unit.toNanos(time)));
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return enter(AcquireOptions.defaults(), wait);
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return enter(AcquireOptions.defaults().lease(lease), wait);
    }

    private boolean enter(AcquireOptions options, Duration wait) throws InterruptedException {
        if (wait == null) {
            throw new IllegalArgumentException("'wait' must not be null");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted before waiting for lock '" + LogText.escape(name) + "'");
        }
        if (reenter(options)) {
            return true;
        }
        Duration allowed = allowed(wait);
        Acquisition<L> acquisition = threadAcquisition(options, allowed);
        return begin(acquisition == null ? Optional.empty() : acquisition.await(), wait, allowed);
    }

    private Duration allowed(Duration wait) {
        return mayWait() ? wait : EventLoopCall.allowed(name, wait);
    }

    private boolean begin(Optional<L> lease, Duration wait, Duration allowed) {
        if (lease.isEmpty()) {
            EventLoopCall.checkRefused(name, wait, allowed);
            return false;
        }
        Thread thread = Thread.currentThread();
        Hold<L> hold = holds.begin(identity(), lease.get());
        lease.get().whenLost(loss -> holds.lost(identity(), thread, hold, loss));
        return true;
    }

    private boolean reenter(AcquireOptions options) {
        Hold<L> hold = hold();
        if (hold == null) {
            return false;
        }
        try {
            lengthen(hold.lease(), options);
        } catch (LeaseLostException lost) {
            holds.lost(identity(), Thread.currentThread(), hold, lost.loss());
        }
        return hold.enter();
    }

    @Override
    public void unlock() {
        L last = leave();
        if (last != null) {
            last.close();
        }
    }

    @Override
    public CompletionStage<Void> unlockAsync() {
        L last = leave();
        return last == null ? CompletableFuture.completedFuture(null) : last.releaseUnlessOver();
    }

    /** Ends one hold of this thread. Returns the lease if the hold was the last. */
    private @Nullable L leave() {
        Hold<L> hold = holds.find(identity());
        int left = hold == null ? -1 : holds.leave(identity(), hold);
        if (hold == null || left < 0) {
            throw notHeld(holds.leaveLost(identity()));
        }
        if (left == 0) {
            return hold.lease();
        }
        hold.lease().assertHeld();
        return null;
    }

    /** Returns the current thread's hold if its lease is still valid. If the time of the lease is over, records the hold as lost. */
    private @Nullable Hold<L> hold() {
        Hold<L> hold = holds.find(identity());
        if (hold != null && !hold.lease().isHeld()) {
            try {
                hold.lease().assertHeld();
            } catch (LeaseLostException lost) {
                holds.lost(identity(), Thread.currentThread(), hold, lost.loss());
                return null;
            }
        }
        return hold;
    }

    private IllegalMonitorStateException notHeld(@Nullable LeaseLoss loss) {
        return loss != null
                ? new LeaseLostException(loss)
                : new IllegalMonitorStateException("Lock '" + LogText.escape(name) + "' is not held by thread '"
                        + Thread.currentThread().getName() + "'");
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "A distributed lock has no conditions: a condition cannot work across processes");
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return hold() != null;
    }

    @Override
    public int holdCount() {
        Hold<L> hold = hold();
        return hold == null ? 0 : hold.count();
    }

    @Override
    public Duration remainingLease() {
        Hold<L> hold = hold();
        return hold == null ? Duration.ZERO : hold.lease().remaining();
    }

    @Override
    public long fencingToken() {
        Hold<L> hold = hold();
        if (hold == null) {
            throw notHeld(holds.loss(identity()));
        }
        return hold.lease().fencingToken();
    }

    @Override
    public Lease acquire(AcquireOptions options) {
        Duration wait = waitToAcquire(options);
        Duration allowed = allowed(wait);
        try {
            return acquisition(options, allowed).awaitOrThrow();
        } catch (LockNotAcquiredException busy) {
            throw allowed.equals(wait) ? busy : EventLoopCall.refusal(name, busy);
        }
    }

    @Override
    public Optional<Lease> tryAcquire(AcquireOptions options) {
        Duration wait = waitToTry(options);
        Duration allowed = allowed(wait);
        Optional<L> lease = acquisition(options, allowed).awaitUnchecked();
        if (lease.isEmpty()) {
            EventLoopCall.checkRefused(name, wait, allowed);
        }
        return lease.map(Lease.class::cast);
    }

    @Override
    public CompletionStage<Lease> acquireAsync(AcquireOptions options) {
        return async(options, waitToAcquire(options), callbacks(), lease -> lease, null);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return async(options, waitToTry(options), callbacks(), Optional::of, Optional.empty());
    }

    @Override
    public CompletableFuture<AbstractLease> acquireAsMember(AcquireOptions options) {
        return async(options, waitToAcquire(options), Runnable::run, lease -> lease, null);
    }

    private <T> CompletableFuture<T> async(
            AcquireOptions options,
            Duration wait,
            Executor callbacks,
            Function<? super L, T> asResult,
            @Nullable T whenBusy) {
        try {
            return acquisition(options, wait).stage(callbacks, asResult, whenBusy);
        } catch (LockUnavailableException refused) {
            // The client is closed or not started.
            return CompletableFuture.failedFuture(refused);
        }
    }

    private Duration waitToAcquire(AcquireOptions options) {
        return checked(options).givenWait().orElse(defaultWait);
    }

    private static Duration waitToTry(AcquireOptions options) {
        return checked(options).givenWait().orElse(Duration.ZERO);
    }

    private static AcquireOptions checked(@Nullable AcquireOptions options) {
        if (options == null) {
            throw new IllegalArgumentException("'options' must not be null");
        }
        return options;
    }
}
