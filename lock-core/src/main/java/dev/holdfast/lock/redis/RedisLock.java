package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.lease.HeldLease;
import dev.holdfast.lock.lease.LeaseTerms;
import dev.holdfast.lock.thread.MemberLock;
import dev.holdfast.lock.thread.ThreadLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock as its users see it: a thread's counted hold, or a lease for whoever has it. */
final class RedisLock extends ThreadLock<HeldLease> implements MemberLock {

    private final LockKind kind;
    private final ClientParts parts;
    private final Entrance entrance;
    private final Acquisition acquisition;
    private final AsyncAcquisition asyncAcquisition;
    private final GrantDesk desk;
    private final String key;
    private final BooleanSupplier locked;

    RedisLock(String name, String key, RedisKind kind, ClientParts parts, BooleanSupplier locked) {
        super(name, parts.settings().defaultWait(), parts.holds());
        this.kind = kind.kind();
        this.parts = parts;
        this.desk = new GrantDesk(name, key, kind, parts);
        this.entrance = new Entrance(name, desk, parts);
        Refusals refusals = new Refusals(name, desk, entrance, parts);
        this.acquisition = new Acquisition(name, entrance, refusals);
        this.asyncAcquisition = new AsyncAcquisition(entrance, refusals, parts.closed());
        this.key = key;
        this.locked = locked;
    }

    @Override
    public LockKind kind() {
        return kind;
    }

    @Override
    protected Object identity() {
        return desk.roomKey();
    }

    @Override
    protected Optional<HeldLease> await(AcquireOptions options, Duration wait) throws InterruptedException {
        return acquisition.await(outermost(options), Acquisition.nanos("wait", wait));
    }

    @Override
    protected Optional<HeldLease> awaitUninterruptibly(AcquireOptions options, Duration wait) {
        return acquisition.awaitUninterruptibly(outermost(options), Acquisition.nanos("wait", wait));
    }

    private LeaseTerms outermost(AcquireOptions options) {
        desk.refuseUpgrade();
        return entrance.terms(options, true);
    }

    @Override
    protected void lengthen(HeldLease lease, AcquireOptions options) {
        if (lease.isRenewed()) {
            return;
        }
        LeaseTerms terms = entrance.terms(options, true);
        if (terms.renewed()) {
            lease.keepRenewed();
        }
        // Where it is renewed from now on, too: what is left may be over before the watchdog next comes by.
        if (lease.remainingNanos() < terms.leaseNanos() - terms.leaseNanos() / 20) {
            lease.extend(Duration.ofNanos(terms.leaseNanos()));
        }
    }

    @Override
    public boolean isLocked() {
        return locked.getAsBoolean();
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
        return asyncAcquisition.acquireAsync(options, waitToAcquire(options), callbacks());
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return asyncAcquisition.tryAcquireAsync(options, waitToTry(options), callbacks());
    }

    @Override
    public CompletableFuture<Lease> acquireAsMember(AcquireOptions options) {
        return asyncAcquisition.acquireAsync(options, waitToAcquire(options), Runnable::run);
    }

    @Override
    public Executor callbacks() {
        return parts.announcer().callbacks();
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
        return "LeaseLock[" + LogText.escape(name()) + ", " + kind + "]";
    }
}
