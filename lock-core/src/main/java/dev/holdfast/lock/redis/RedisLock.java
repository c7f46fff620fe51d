package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.connection.EventLoops;
import dev.holdfast.lock.internal.engine.LockEngine;
import dev.holdfast.lock.internal.engine.Session;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.thread.LibraryLock;
import dev.holdfast.lock.internal.thread.ThreadLock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A lock as callers see it. A thread holds it with a count of its holds, and other code holds it with a lease. */
final class RedisLock extends ThreadLock<HeldLease> {

    private final PresentSession session;
    private final LockId id;
    private final List<String> names;
    private final List<String> several;
    private volatile @Nullable LockEngine engine;

    /**
     * Creates a lock.
     *
     * @param several the keys of several names, which share a slot; empty for a lock with one name
     */
    RedisLock(String name, List<String> names, LockId id, List<String> several, PresentSession session) {
        super(name, session.settings.defaultWait(), session.holds);
        this.session = session;
        this.id = id;
        this.names = names;
        this.several = several;
    }

    /** Creates a lock with one name. */
    static RedisLock of(String name, LockKind kind, int permits, PresentSession session) {
        LockId id = new LockId(kind, session.keys.lock(name), permits); // Refuses a name that is none.
        return new RedisLock(name, List.of(name), id, List.of(), session);
    }

    /** Returns the engine of the client's present session. */
    private LockEngine engine() {
        Session now = session.get(name());
        LockEngine known = engine;
        if (known == null || !known.isOf(now)) {
            known = new LockEngine(now, name(), id, several);
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
        return Objects.requireNonNull(engine().enter(options, wait, false));
    }

    @Override
    protected @Nullable Acquisition<HeldLease> threadAcquisition(AcquireOptions options, Duration wait) {
        return engine().enter(options, wait, true);
    }

    @Override
    protected void lengthen(HeldLease lease, AcquireOptions options) {
        if (lease.isRenewed()) {
            return;
        }
        LeaseTerms terms = engine().terms(options, true);
        // Extends the lease before it starts the renewals: Redis must know the longer lease before a renewal asks for
        // it. Otherwise, a waiter would cut the time to live of the key to the shorter lease.
        if (lease.remainingNanos() < terms.leaseNanos() - terms.leaseNanos() / 20) {
            lease.extend(Duration.ofNanos(terms.leaseNanos()));
        }
        if (terms.renewed()) {
            lease.keepRenewed(terms.leaseNanos());
        }
    }

    @Override
    public void tell(LockEvent event) {
        Session open = session.orNull();
        if (open != null) {
            open.tell(event);
        }
    }

    @Override
    public boolean isLocked() {
        return names.stream().anyMatch(name -> session.holders(name) > 0);
    }

    int holders() {
        return session.holders(name());
    }

    @Override
    public boolean isExclusive() {
        return kind().isExclusive();
    }

    @Override
    public CompletableFuture<Boolean> isInRedis() {
        return LibraryLock.any(names.stream()
                .map(name -> {
                    String key = session.keys.lock(name);
                    return session.whenStarted(name, now -> now.inspector().isInRedis(name, key));
                })
                .toList());
    }

    @Override
    public CompletableFuture<Void> raiseTokens(long token) {
        return CompletableFuture.allOf(
                names.stream().map(name -> session.raiseTokens(name, token)).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public Background background() {
        return session.settings.background();
    }

    @Override
    public boolean mayWait() {
        return !EventLoops.isCurrent();
    }

    @Override
    public Executor callbacks() {
        return session.settings.callbacks();
    }

    /** Returns whether the other lock has the same client, name and kind. Such locks are one lock, no matter how often callers asked for it. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RedisLock lock && lock.session == session && lock.id.equals(id);
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
