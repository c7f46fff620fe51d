package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.engine.Acquisition;
import dev.holdfast.lock.internal.engine.AsyncAcquisition;
import dev.holdfast.lock.internal.engine.LockEngine;
import dev.holdfast.lock.internal.engine.OpenClient;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.thread.MemberLock;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.thread.ThreadLock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A lock as its users see it: a thread's counted hold, or a lease for whoever has it. */
final class RedisLock extends ThreadLock<HeldLease> implements MemberLock {

    private final LockKind kind;
    private final RedisLockClient client;
    private final String key;
    private final Function<OpenClient, RedisKind> kinds;
    private final BooleanSupplier locked;
    private final LongFunction<CompletableFuture<Void>> raising;
    private volatile @Nullable LockEngine engine;

    RedisLock(
            String name,
            String key,
            LockKind kind,
            RedisLockClient client,
            Function<OpenClient, RedisKind> kinds,
            BooleanSupplier locked,
            LongFunction<CompletableFuture<Void>> raising) {
        super(name, client.settings().defaultWait(), client.holds());
        this.kind = kind;
        this.client = client;
        this.key = key;
        this.kinds = kinds;
        this.locked = locked;
        this.raising = raising;
    }

    /** Of the present start: a client that was closed and started again has another one. */
    private LockEngine engine() {
        OpenClient now = client.open(name());
        LockEngine known = engine;
        if (known == null || known.client() != now) {
            known = LockEngine.of(name(), key, kinds.apply(now), now);
            engine = known;
        }
        return known;
    }

    @Override
    public LockKind kind() {
        return kind;
    }

    @Override
    protected Object identity() {
        return RedisKind.roomKey(kind, key);
    }

    @Override
    protected Optional<HeldLease> await(AcquireOptions options, Duration wait) throws InterruptedException {
        LockEngine now = engine();
        long waitNanos = Acquisition.nanos("wait", wait);
        return isInVain(now, waitNanos)
                ? Optional.empty()
                : now.acquisition().await(now.entrance().terms(options, true), waitNanos);
    }

    @Override
    protected Optional<HeldLease> awaitUninterruptibly(AcquireOptions options, Duration wait) {
        LockEngine now = engine();
        long waitNanos = Acquisition.nanos("wait", wait);
        return isInVain(now, waitNanos)
                ? Optional.empty()
                : now.acquisition().awaitUninterruptibly(now.entrance().terms(options, true), waitNanos);
    }

    /** Whether the thread's own read lock keeps it from writing. A thread that would wait for itself is refused instead. */
    private static boolean isInVain(LockEngine engine, long waitNanos) {
        if (waitNanos > 0) {
            engine.desk().refuseUpgrade();
        }
        return engine.desk().isUpgrade();
    }

    @Override
    protected void lengthen(HeldLease lease, AcquireOptions options) {
        if (lease.isRenewed()) {
            return;
        }
        LeaseTerms terms = engine().entrance().terms(options, true);
        // Extended first, where it is renewed from now on, too: Redis must know of a longer lease before a renewal
        // asks for it, or a waiter would cut the key to the shorter one.
        if (lease.remainingNanos() < terms.leaseNanos() - terms.leaseNanos() / 20) {
            lease.extend(Duration.ofNanos(terms.leaseNanos()));
        }
        if (terms.renewed()) {
            lease.keepRenewed(terms.leaseNanos());
        }
    }

    @Override
    public void tell(LockEvent event) {
        OpenClient open = client.openOrNull();
        if (open != null) {
            open.parts().events().tell(event);
        }
    }

    @Override
    public boolean isLocked() {
        return locked.getAsBoolean();
    }

    @Override
    public Lease acquire(AcquireOptions options) {
        return engine().acquisition().acquire(options, waitToAcquire(options));
    }

    @Override
    public Optional<Lease> tryAcquire(AcquireOptions options) {
        return engine().acquisition().tryAcquire(options, waitToTry(options)).map(Function.identity());
    }

    @Override
    public CompletionStage<Lease> acquireAsync(AcquireOptions options) {
        return async(acquisition -> acquisition.acquireAsync(options, waitToAcquire(options), callbacks()));
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(AcquireOptions options) {
        return async(acquisition -> acquisition.tryAcquireAsync(options, waitToTry(options), callbacks()));
    }

    @Override
    public CompletableFuture<Lease> acquireAsMember(AcquireOptions options) {
        return async(acquisition -> acquisition.acquireAsync(options, waitToAcquire(options), Runnable::run));
    }

    private <T> CompletableFuture<T> async(Function<AsyncAcquisition, CompletableFuture<T>> acquire) {
        return client.openOrNull() == null
                ? CompletableFuture.failedFuture(RedisFailures.notStarted(name()))
                : acquire.apply(engine().asyncAcquisition());
    }

    @Override
    public CompletableFuture<Void> raiseTokens(long token) {
        return raising.apply(token);
    }

    @Override
    public ThreadHolds<?> holdsOfWholes() {
        return client.holdsOfWholes();
    }

    @Override
    public Executor callbacks() {
        return client.settings().callbacks();
    }

    /** Locks of one client, name and kind are one lock, however often they were asked for. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedisLock lock && lock.client == client && lock.key.equals(key) && lock.kind == kind;
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
