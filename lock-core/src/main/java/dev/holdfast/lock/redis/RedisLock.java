package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.connection.EventLoops;
import dev.holdfast.lock.internal.engine.ClientSession;
import dev.holdfast.lock.internal.engine.LockEngine;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.thread.ThreadLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock as its users see it: a thread's counted hold, or a lease for the code that has it. */
final class RedisLock extends ThreadLock<HeldLease> {

    private final RedisLockClient client;
    private final LockId id;
    private final Function<ClientSession, LockProtocol> protocols;
    private final List<String> names;
    private volatile @Nullable LockEngine engine;

    RedisLock(
            String name,
            List<String> names,
            LockId id,
            RedisLockClient client,
            Function<ClientSession, LockProtocol> protocols) {
        super(name, client.settings().defaultWait(), client.holds());
        this.client = client;
        this.id = id;
        this.protocols = protocols;
        this.names = names;
    }

    /** Of the present start: a client that was closed and started again has another one. */
    private LockEngine engine() {
        ClientSession now = client.open(name());
        LockEngine known = engine;
        if (known == null || !known.belongsTo(now)) {
            known = new LockEngine(name(), id, protocols.apply(now), now);
            engine = known;
        }
        return known;
    }

    @Override
    public LockKind kind() {
        return id.kind();
    }

    @Override
    protected Object identity() {
        return id;
    }

    @Override
    protected Acquisition<HeldLease> acquisition(AcquireOptions options, Duration wait) {
        return engine().enter(options, wait);
    }

    @Override
    protected @Nullable Acquisition<HeldLease> threadAcquisition(AcquireOptions options, Duration wait) {
        return engine().enterAsThread(options, wait);
    }

    @Override
    protected void lengthen(HeldLease lease, AcquireOptions options) {
        if (lease.isRenewed()) {
            return;
        }
        LeaseTerms terms = engine().terms(options, true);
        // Extended first, where it is renewed from now on, too: Redis must have a longer lease before a renewal
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
        ClientSession open = client.openOrNull();
        if (open != null) {
            open.events.tell(event);
        }
    }

    @Override
    public boolean isLocked() {
        return names.stream().anyMatch(client::isLocked);
    }

    @Override
    public CompletableFuture<Void> raiseTokens(long token) {
        return CompletableFuture.allOf(
                names.stream().map(name -> client.raise(name, token)).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public Background background() {
        return client.settings().background();
    }

    @Override
    public boolean mayWait() {
        return !EventLoops.isCurrent();
    }

    @Override
    public Executor callbacks() {
        return client.settings().callbacks();
    }

    /** Locks of one client, name and kind are one lock, however often they were asked for. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedisLock lock && lock.client == client && lock.id.equals(id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return "LeaseLock[" + LogText.escape(name()) + ", " + id.kind() + "]";
    }
}
