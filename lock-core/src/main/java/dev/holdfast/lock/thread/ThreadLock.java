package dev.holdfast.lock.thread;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.thread.ThreadHolds.Hold;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A lock as a thread has it: entered as often as it likes, and given back when it has left as often. Only the outermost hold is a lease; how that
 * is come by, and how it is made to last for a nested hold, is what locks differ in.
 *
 * @param <L> the lease of an outermost hold
 */
public abstract class ThreadLock<L extends Lease> implements LeaseLock {

    /** A wait without an end. */
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final String name;
    private final Duration defaultWait;
    private final ThreadHolds<L> holds;

    /**
     * Creates a lock.
     *
     * @param name as it was asked for
     * @param defaultWait how long {@code acquire} waits where no wait is given
     * @param holds of all locks among which this one may have its equal
     */
    protected ThreadLock(String name, Duration defaultWait, ThreadHolds<L> holds) {
        this.name = name;
        this.defaultWait = defaultWait;
        this.holds = holds;
    }

    /** What the holds are kept under: equal for all that are one lock. */
    protected Object identity() {
        return this;
    }

    /** Waits for an outermost hold's lease, empty if busy to the end. An interrupt gives up and leaves nothing behind. */
    protected abstract Optional<L> await(AcquireOptions options, Duration wait) throws InterruptedException;

    /** Waits likewise, and keeps an interrupt for afterwards. */
    protected abstract Optional<L> awaitUninterruptibly(AcquireOptions options, Duration wait);

    /** Makes a held lease last as long as a nested hold asks for, never shorter. */
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
        lease.ifPresent(acquired -> holds.begin(identity(), acquired));
        return lease.isPresent();
    }

    private boolean reenter(AcquireOptions options) {
        Hold<L> hold = hold();
        if (hold == null) {
            return false;
        }
        hold.lease().assertHeld();
        lengthen(hold.lease(), options);
        hold.enter();
        return true;
    }

    @Override
    public void unlock() {
        Hold<L> hold = ownHold();
        if (holds.leave(identity(), hold)) {
            hold.lease().close();
        } else {
            hold.lease().assertHeld();
        }
    }

    private @Nullable Hold<L> hold() {
        return holds.find(identity());
    }

    private Hold<L> ownHold() {
        Hold<L> hold = hold();
        if (hold == null) {
            throw new IllegalMonitorStateException("Lock '" + LogText.escape(name) + "' is not held by thread '"
                    + Thread.currentThread().getName() + "'");
        }
        return hold;
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "A distributed lock has no conditions: they cannot be kept across processes");
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold<L> hold = hold();
        return hold != null && hold.lease().isHeld();
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
        return ownHold().lease().fencingToken();
    }

    /** How long an {@code acquire} waits. */
    protected Duration waitToAcquire(AcquireOptions options) {
        return checked(options).givenWait().orElse(defaultWait);
    }

    /** How long a {@code tryAcquire} waits. */
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
