package dev.holdfast.lock.internal.thread;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.thread.ThreadHolds.Hold;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A re-entrant lock that a thread holds. Only the outermost hold has a lease. Subclasses acquire it, and lengthen it for a nested hold.
 *
 * <p>A hold whose lease was lost affects only its own unlocks, which report the loss. Unlocks are paired from the inside out: first with the hold
 * that the thread has, then with the one that it lost.
 *
 * @param <L> the lease of an outermost hold
 */
public abstract class ThreadLock<L extends AbstractLease> implements LeaseLock {

    /** A wait without an end. */
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final String name;
    private final Duration defaultWait;
    private final ThreadHolds<L> holds;

    protected ThreadLock(String name, Duration defaultWait, ThreadHolds<L> holds) {
        this.name = name;
        this.defaultWait = defaultWait;
        this.holds = holds;
    }

    protected final ThreadHolds<L> holds() {
        return holds;
    }

    /** The key of the holds: equal for all locks that are one lock. */
    protected Object identity() {
        return this;
    }

    /** Waits for an outermost hold's lease; empty if busy to the end. An interrupt cancels the acquisition and leaves nothing behind. */
    protected abstract Optional<L> await(AcquireOptions options, Duration wait) throws InterruptedException;

    /** Waits likewise. An interrupt sets the thread's interrupt status afterward. */
    protected abstract Optional<L> awaitUninterruptibly(AcquireOptions options, Duration wait);

    /** Makes a held lease last as long as a nested hold asks for. Never shortens it. */
    protected abstract void lengthen(L lease, AcquireOptions options);

    @Override
    public String name() {
        return name;
    }

    @Override
    public void lock() {
        lockUninterruptibly(AcquireOptions.defaults());
    }

    @Override
    public void lock(Duration lease) {
        lockUninterruptibly(AcquireOptions.defaults().lease(lease));
    }

    private void lockUninterruptibly(AcquireOptions options) {
        if (!reenter(options) && !begin(awaitUninterruptibly(options, FOREVER))) {
            throw new LockNotAcquiredException(name, FOREVER, null, null);
        }
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
        AcquireOptions options = AcquireOptions.defaults();
        return reenter(options) || begin(awaitUninterruptibly(options, Duration.ZERO));
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
        return reenter(options) || begin(await(options, wait));
    }

    private boolean begin(Optional<L> lease) {
        if (lease.isEmpty()) {
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
            end(hold, lost.loss());
        }
        return hold.enter();
    }

    @Override
    public void unlock() {
        Hold<L> hold = holds.find(identity());
        if (hold == null) {
            throw notHeld(holds.leaveLost(identity()));
        }
        switch (holds.leave(identity(), hold)) {
            case OUTERMOST -> hold.lease().close();
            case NESTED -> hold.lease().assertHeld();
            case LOST -> throw notHeld(holds.leaveLost(identity()));
        }
    }

    /** The current thread's hold, if its lease is still valid. If its time is over, it is reported as lost. */
    private @Nullable Hold<L> hold() {
        Hold<L> hold = holds.find(identity());
        if (hold != null && !hold.lease().isHeld()) {
            try {
                hold.lease().assertHeld();
            } catch (LeaseLostException lost) {
                end(hold, lost.loss());
                return null;
            }
        }
        return hold;
    }

    private void end(Hold<L> hold, LeaseLoss loss) {
        holds.lost(identity(), Thread.currentThread(), hold, loss);
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
        Hold<L> hold = hold();
        return hold != null;
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

    /** The wait of an {@code acquire}. */
    protected Duration waitToAcquire(AcquireOptions options) {
        return checked(options).givenWait().orElse(defaultWait);
    }

    /** The wait of a {@code tryAcquire}. */
    protected static Duration waitToTry(AcquireOptions options) {
        return checked(options).givenWait().orElse(Duration.ZERO);
    }

    private static AcquireOptions checked(@Nullable AcquireOptions options) {
        if (options == null) {
            throw new IllegalArgumentException("'options' must not be null");
        }
        return options;
    }
}
