package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.internal.lease.AcquisitionSite;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.waiting.RoomId;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Begins the acquisitions of one lock of a started client. */
public final class LockEngine {

    private final NamedLock lock;
    private final LockGrants grants;

    /**
     * Creates a lock's.
     *
     * @param client the start of the client that it belongs to
     */
    public LockEngine(String name, LockId id, RedisKind kind, OpenClient client) {
        this.lock = new NamedLock(name, id, new RoomId(id, null), kind, client);
        this.grants = new LockGrants(lock);
    }

    /** Whether it belongs to that start of its client. */
    @SuppressWarnings("ReferenceEquality") // Two starts never have equal parts, and each call asks.
    public boolean belongsTo(OpenClient present) {
        return lock.client() == present;
    }

    /** Fills in the client's defaults. */
    public LeaseTerms terms(AcquireOptions options, boolean threadBound) {
        Optional<Thread> bound = options.boundThread();
        return new LeaseTerms(
                options.givenLease()
                        .orElse(lock.client().settings.watchdogTimeout())
                        .toNanos(),
                options.isRenewed(),
                options.minHold().toNanos(),
                options.givenMaxHold()
                        .map(limit -> LeaseTerms.nanos("maxHold", limit))
                        .orElse(LeaseTerms.NO_LIMIT),
                threadBound || bound.isPresent(),
                options.interruptsOnLoss(),
                bound.orElseGet(Thread::currentThread),
                lock.client().settings.recordsSites() ? new AcquisitionSite(lock.name()) : null);
    }

    /** Begins to acquire a lease that belongs to no thread. */
    public Acquisition<HeldLease> enter(AcquireOptions options, Duration wait) {
        return enter(terms(options, false), LeaseTerms.nanos("wait", wait), null, wait);
    }

    /** Begins for a thread that blocks meanwhile: what it holds of the lock now it will hold when it is answered. Null if it cannot get the lock. */
    public @Nullable Acquisition<HeldLease> enterAsThread(AcquireOptions options, Duration wait) {
        long waitNanos = LeaseTerms.nanos("wait", wait);
        if (waitNanos > 0) {
            ReadWriteHolds.refuseUpgrade(lock);
        }
        return ReadWriteHolds.isUpgrade(lock)
                ? null
                : enter(terms(options, true), waitNanos, ReadWriteHolds.writerOwner(lock), wait);
    }

    private Acquisition<HeldLease> enter(
            LeaseTerms terms, long waitNanos, @Nullable String writerOwner, Duration wait) {
        OpenClient client = lock.client();
        Waiter waiter = new Waiter(terms, waitNanos, client.ticker.now(), writerOwner);
        if (client.closed.get()) {
            throw RedisFailures.closed(lock.name());
        }
        client.rooms.enter(room(lock, waiter), grants, waiter);
        if (client.closed.get()) {
            client.rooms.refuseEverybody();
        }
        return new LockAcquisition(lock, waiter, wait);
    }

    /** Each waiter for a fair lock has a place of its own. A reader that is the writer's own thread waits for nobody. */
    static RoomId room(NamedLock lock, Waiter waiter) {
        Object guest = lock.lockKind().isFair() ? waiter : waiter.writerOwner();
        return guest == null ? lock.room() : new RoomId(lock.id(), guest);
    }
}
