package dev.holdfast.lock.composite;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockInterruptedException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.composite.CompositeHolds.Hold;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/** A lock made of locks. Everything is derived from one asynchronous acquisition; re-entries are counted here. */
abstract class CompositeLock implements LeaseLock {

    static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

    /** What a nested hold without a lease gets inside one that has a lease. */
    private static final Duration NESTED_LEASE = Duration.ofSeconds(30);

    private final String name;
    private final Duration defaultWait;

    CompositeLock(String name, Duration defaultWait) {
        this.name = name;
        this.defaultWait = defaultWait;
    }

    /**
     * Begins an acquisition.
     *
     * @param options what is asked for; its wait is left aside
     * @param deadline the budget
     * @return the lease; {@link LockNotAcquiredException} if busy to the end. Cancelling it leaves nothing behind
     */
    abstract CompletableFuture<CompositeLease> begin(AcquireOptions options, Deadline deadline);

    /** What each member is asked for. */
    static AcquireOptions forMembers(AcquireOptions options) {
        AcquireOptions member = AcquireOptions.defaults();
        if (options.givenLease().isPresent()) {
            Duration lease = options.givenLease().get();
            // A minimum hold is kept here: a member's own would keep one that is given back because another was busy.
            member = member.lease(lease.compareTo(options.minHold()) < 0 ? options.minHold() : lease);
            if (options.isRenewed()) {
                member = member.renewed();
            }
        }
        if (options.givenMaxHold().isPresent()) {
            member = member.maxHold(options.givenMaxHold().get());
        }
        if (options.boundThread().isPresent()) {
            member = member.boundTo(options.boundThread().get());
        }
        // Not interruptOnLoss: losing one member need not be losing the whole.
        return member;
    }

    /** Who is interrupted when the whole is lost. */
    static @Nullable Thread interrupted(AcquireOptions options) {
        return options.interruptsOnLoss() ? options.boundThread().orElseGet(Thread::currentThread) : null;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public LockKind kind() {
        return LockKind.REENTRANT;
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
        if (!reenter(options)) {
            hold(awaitUninterruptibly(begin(bound(options), Deadline.in(Deadline.FOREVER)), false));
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        enter(AcquireOptions.defaults(), Deadline.FOREVER);
    }

    @Override
    public boolean tryLock() {
        return reenter(AcquireOptions.defaults())
                || holdIfAcquired(() -> awaitUninterruptibly(
                        begin(bound(AcquireOptions.defaults()), Deadline.in(Duration.ZERO)), false));
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
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted before waiting for lock '" + LogText.escape(name) + "'");
        }
        Deadline deadline = Deadline.in(wait);
        return reenter(options) || holdIfAcquired(() -> await(begin(bound(options), deadline)));
    }

    /** A wait that may be interrupted, or not. */
    private interface Wait<E extends Exception> {
        CompositeLease end() throws E;
    }

    private <E extends Exception> boolean holdIfAcquired(Wait<E> wait) throws E {
        try {
            hold(wait.end());
            return true;
        } catch (LockNotAcquiredException busy) {
            return false;
        }
    }

    private static AcquireOptions bound(AcquireOptions options) {
        return options.boundTo(Thread.currentThread());
    }

    private void hold(CompositeLease lease) {
        CompositeHolds.begin(this, lease);
    }

    /** Enters once more where this thread is inside; a longer lease than the outer one's is asked for, a shorter one never is. */
    private boolean reenter(AcquireOptions options) {
        Hold hold = CompositeHolds.find(this);
        if (hold == null) {
            return false;
        }
        if (!hold.lease.isHeld()) {
            throw hold.lease.notHeld();
        }
        Duration wanted = options.givenLease().orElse(NESTED_LEASE);
        if (!hold.lease.isRenewed() && hold.lease.remaining().compareTo(wanted.minus(wanted.dividedBy(20))) < 0) {
            hold.lease.extend(wanted);
        }
        hold.count++;
        return true;
    }

    @Override
    public void unlock() {
        Hold hold = ownHold();
        if (CompositeHolds.leave(this, hold)) {
            hold.lease.close();
        } else if (!hold.lease.isHeld()) {
            throw hold.lease.notHeld();
        }
    }

    private Hold ownHold() {
        Hold hold = CompositeHolds.find(this);
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
        Hold hold = CompositeHolds.find(this);
        return hold != null && hold.lease.isHeld();
    }

    @Override
    public int holdCount() {
        Hold hold = CompositeHolds.find(this);
        return hold == null ? 0 : hold.count;
    }

    @Override
    public Duration remainingLease() {
        Hold hold = CompositeHolds.find(this);
        return hold == null ? Duration.ZERO : hold.lease.remaining();
    }

    @Override
    public long fencingToken() {
        return ownHold().lease.fencingToken();
    }

    @Override
    public Lease acquire(AcquireOptions options) {
        return awaitUnchecked(begin(checked(options), waitToAcquire(options)));
    }

    @Override
    public Optional<Lease> tryAcquire(AcquireOptions options) {
        try {
            return Optional.of(awaitUnchecked(begin(checked(options), waitToTry(options))));
        } catch (LockNotAcquiredException busy) {
            return Optional.empty();
        }
    }

    @Override
    public CompletionStage<Lease> acquireAsync(AcquireOptions options) {
        return new Outcome<Lease>(begin(checked(options), waitToAcquire(options)), lease -> lease, null);
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return new Outcome<Optional<Lease>>(
                begin(checked(options), waitToTry(options)), Optional::of, Optional.empty());
    }

    private static AcquireOptions checked(@Nullable AcquireOptions options) {
        if (options == null) {
            throw new IllegalArgumentException("'options' must not be null");
        }
        return options;
    }

    private Deadline waitToAcquire(AcquireOptions options) {
        return Deadline.in(checked(options).givenWait().orElse(defaultWait));
    }

    private static Deadline waitToTry(AcquireOptions options) {
        return Deadline.in(checked(options).givenWait().orElse(Duration.ZERO));
    }

    private CompositeLease awaitUnchecked(CompletableFuture<CompositeLease> acquisition) {
        try {
            return await(acquisition);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(name, e);
        }
    }

    private CompositeLease await(CompletableFuture<CompositeLease> acquisition) throws InterruptedException {
        try {
            return get(acquisition);
        } catch (InterruptedException e) {
            if (acquisition.cancel(false)) {
                throw e;
            }
            // Settled at the same moment: the caller gets the result, and may see the interrupt afterwards.
            return awaitUninterruptibly(acquisition, true);
        }
    }

    private CompositeLease awaitUninterruptibly(
            CompletableFuture<CompositeLease> acquisition, boolean interruptedBefore) {
        boolean interrupted = interruptedBefore;
        try {
            while (true) {
                try {
                    return get(acquisition);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private CompositeLease get(CompletableFuture<CompositeLease> acquisition) throws InterruptedException {
        try {
            return acquisition.get();
        } catch (ExecutionException e) {
            // Anew, so that the stack trace is the caller's.
            throw anew(e.getCause());
        }
    }

    private RuntimeException anew(@Nullable Throwable thrown) {
        RuntimeException anew;
        if (thrown instanceof LockNotAcquiredException busy) {
            anew = new LockNotAcquiredException(busy.lockName(), busy.waited(), busy);
        } else if (thrown instanceof LockUnavailableException down) {
            anew = new LockUnavailableException(down.lockName(), String.valueOf(down.getMessage()), down.getCause());
        } else {
            return new IllegalStateException("Waiting for lock '" + LogText.escape(name) + "' failed", thrown);
        }
        for (Throwable part : thrown.getSuppressed()) {
            anew.addSuppressed(part);
        }
        return anew;
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + LogText.escape(name) + "]";
    }
}
