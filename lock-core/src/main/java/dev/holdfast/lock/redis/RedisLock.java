package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.lease.HeldLease;
import dev.holdfast.lock.lease.LeaseTerms;
import dev.holdfast.lock.lease.ThreadHolds.Hold;
import dev.holdfast.lock.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock as its users see it: a thread's counted hold, or a lease for whoever has it. */
final class RedisLock implements LeaseLock {

    private final String name;
    private final LockKind kind;
    private final ClientParts parts;
    private final Acquisition acquisition;
    private final GrantDesk desk;
    private final String key;
    private final BooleanSupplier locked;

    RedisLock(String name, String key, RedisKind kind, ClientParts parts, BooleanSupplier locked) {
        this.name = name;
        this.kind = kind.kind();
        this.parts = parts;
        this.desk = new GrantDesk(name, key, kind, parts);
        this.acquisition = new Acquisition(name, desk, parts);
        this.key = key;
        this.locked = locked;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public LockKind kind() {
        return kind;
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
        LeaseTerms terms = acquisition.terms(options, true);
        if (!reenter(terms)) {
            begin(acquisition.awaitUninterruptibly(terms, Waiter.FOREVER));
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        enter(AcquireOptions.defaults(), Waiter.FOREVER);
    }

    @Override
    public boolean tryLock() {
        LeaseTerms terms = acquisition.terms(AcquireOptions.defaults(), true);
        return reenter(terms) || begin(acquisition.awaitUninterruptibly(terms, 0));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (unit == null) {
            throw new IllegalArgumentException("'unit' must not be null");
        }
        return enter(AcquireOptions.defaults(), unit.toNanos(time));
    }

    @Override
    public boolean tryLock(Duration wait) throws InterruptedException {
        return enter(AcquireOptions.defaults(), Acquisition.nanos("wait", wait));
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return enter(AcquireOptions.defaults().lease(lease), Acquisition.nanos("wait", wait));
    }

    private boolean enter(AcquireOptions options, long waitNanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("Interrupted before waiting for lock '" + LogText.escape(name) + "'");
        }
        LeaseTerms terms = acquisition.terms(options, true);
        return reenter(terms) || begin(acquisition.await(terms, waitNanos));
    }

    private boolean begin(Optional<HeldLease> lease) {
        lease.ifPresent(acquired -> parts.holds().begin(desk.roomKey(), acquired));
        return lease.isPresent();
    }

    /** Enters once more where this thread is inside; a longer lease than the outer one's is asked for, a shorter one never is. */
    private boolean reenter(LeaseTerms terms) {
        Hold hold = parts.holds().find(desk.roomKey());
        if (hold == null) {
            desk.refuseUpgrade();
            return false;
        }
        HeldLease lease = hold.lease();
        if (!lease.isHeld()) {
            lease.loseIfOver();
            throw lease.notHeld();
        }
        if (terms.renewed() && !lease.isRenewed()) {
            lease.keepRenewed();
            if (lease.remainingNanos() < terms.leaseNanos() - terms.leaseNanos() / 20) {
                // What is left of the given lease may be over before the watchdog next comes by.
                lease.extend(Duration.ofNanos(terms.leaseNanos()));
            }
        } else if (!lease.isRenewed() && lease.remainingNanos() < terms.leaseNanos() - terms.leaseNanos() / 20) {
            lease.extend(Duration.ofNanos(terms.leaseNanos()));
        }
        hold.enter();
        return true;
    }

    @Override
    public void unlock() {
        Hold hold = ownHold();
        if (parts.holds().leave(desk.roomKey(), hold)) {
            hold.lease().close();
        } else if (!hold.lease().isHeld()) {
            hold.lease().loseIfOver();
            throw hold.lease().notHeld();
        }
    }

    private Hold ownHold() {
        Hold hold = parts.holds().find(desk.roomKey());
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
    public boolean isLocked() {
        return locked.getAsBoolean();
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold hold = parts.holds().find(desk.roomKey());
        return hold != null && hold.lease().isHeld();
    }

    @Override
    public int holdCount() {
        Hold hold = parts.holds().find(desk.roomKey());
        return hold == null ? 0 : hold.count();
    }

    @Override
    public Duration remainingLease() {
        Hold hold = parts.holds().find(desk.roomKey());
        return hold == null ? Duration.ZERO : hold.lease().remaining();
    }

    @Override
    public long fencingToken() {
        return ownHold().lease().fencingToken();
    }

    @Override
    public Lease acquire(AcquireOptions options) {
        return acquisition.acquire(options, waitToAcquire(options));
    }

    @Override
    public Optional<Lease> tryAcquire(AcquireOptions options) {
        return acquisition.tryAcquire(options, waitToTry(options)).map(Function.identity());
    }

    @Override
    public CompletionStage<Lease> acquireAsync(AcquireOptions options) {
        return acquisition.acquireAsync(options, waitToAcquire(options));
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return acquisition.tryAcquireAsync(options, waitToTry(options));
    }

    private static AcquireOptions checked(@Nullable AcquireOptions options) {
        if (options == null) {
            throw new IllegalArgumentException("'options' must not be null");
        }
        return options;
    }

    private Duration waitToAcquire(AcquireOptions options) {
        return checked(options).givenWait().orElse(parts.settings().defaultWait());
    }

    private static Duration waitToTry(AcquireOptions options) {
        return checked(options).givenWait().orElse(Duration.ZERO);
    }

    /** Locks of one client, name and kind are one lock, however often they were asked for. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedisLock lock && lock.parts.equals(parts) && lock.key.equals(key) && lock.kind == kind;
    }

    @Override
    public int hashCode() {
        return key.hashCode() * 31 + kind.hashCode();
    }

    @Override
    public String toString() {
        return "LeaseLock[" + LogText.escape(name) + ", " + kind + "]";
    }
}
