package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.event.AcquisitionSite;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.waiting.RoomId;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One lock of a client's session. Starts the acquisitions of the lock. */
public final class LockEngine {

    final String name;
    final LockId id;
    final LockProtocol protocol;
    final ClientSession client;
    /** The identity of the room that the lock's waiters share. */
    final RoomId room;

    private final LockLeases grants;
    private volatile @Nullable String wakeChannel;

    /** Creates the engine of a lock for one session of its client. */
    public LockEngine(String name, LockId id, LockProtocol protocol, ClientSession client) {
        this.name = name;
        this.id = id;
        this.protocol = protocol;
        this.client = client;
        this.room = new RoomId(id, null);
        this.grants = new LockLeases(this);
    }

    String key() {
        return id.key();
    }

    LockKind kind() {
        return id.kind();
    }

    /** Returns the traits of the lock's kind. */
    KindTraits traits() {
        return protocol.traits();
    }

    /** Returns the channel on which this client is notified about the lock. The channel changes when the client detects that keys have slots. */
    String wakeChannel() {
        String known = wakeChannel;
        if (known == null || !protocol.isWakeChannel(known)) {
            known = client.wakeChannels.computeIfAbsent(
                    protocol.wakePrefix(key()), prefix -> prefix + client.owners.client());
            wakeChannel = known;
        }
        return known;
    }

    /** Returns the number of fencing tokens of a grant, one for each of its successive local holders. */
    int tokens() {
        return traits().isHandedOver() ? client.settings.handOvers() + 1 : 1;
    }

    /** Returns whether a released grant may be handed over to the next local waiter. */
    boolean handsOver() {
        return tokens() > 1;
    }

    /** Returns whether the engine belongs to the given session of the client. */
    @SuppressWarnings("ReferenceEquality") // Each session is a distinct object.
    public boolean belongsTo(ClientSession present) {
        return client == present;
    }

    /** Returns the terms of an acquisition: the options, completed by the client's defaults. */
    public LeaseTerms terms(AcquireOptions options, boolean threadBound) {
        Optional<Thread> bound = options.boundThread();
        return new LeaseTerms(
                options.givenLease().orElse(client.settings.watchdogTimeout()).toNanos(),
                options.isRenewed(),
                options.minHold().toNanos(),
                options.givenMaxHold()
                        .map(limit -> LeaseTerms.nanos("maxHold", limit))
                        .orElse(LeaseTerms.NO_LIMIT),
                threadBound || bound.isPresent(),
                options.interruptsOnLoss(),
                bound.orElseGet(Thread::currentThread),
                client.settings.recordsSites() ? new AcquisitionSite(name) : null);
    }

    /** Starts to acquire a lease that belongs to no thread. */
    public Acquisition<HeldLease> enter(AcquireOptions options, Duration wait) {
        return enter(terms(options, false), LeaseTerms.nanos("wait", wait), null);
    }

    /**
     * Starts an acquisition for the current thread. The thread blocks until the answer, so its other holds of the lock cannot change. Returns null if
     * this thread cannot get the lock.
     */
    public @Nullable Acquisition<HeldLease> enterAsThread(AcquireOptions options, Duration wait) {
        long waitNanos = LeaseTerms.nanos("wait", wait);
        if (waitNanos > 0) {
            ReadWriteHolds.refuseUpgrade(this);
        }
        return ReadWriteHolds.isUpgrade(this)
                ? null
                : enter(terms(options, true), waitNanos, ReadWriteHolds.writerOwner(this));
    }

    private Acquisition<HeldLease> enter(LeaseTerms terms, long waitNanos, @Nullable String writerOwner) {
        LockAcquisition waiter = new LockAcquisition(this, terms, waitNanos, writerOwner);
        if (client.closed.get()) {
            throw RedisFailures.closed(name);
        }
        client.rooms.enter(room(waiter), grants, waiter);
        if (client.closed.get()) {
            client.rooms.refuseEverybody();
        }
        return waiter;
    }

    /**
     * Returns the room for a waiter. Each waiter for a fair lock has its own room and place. A reader whose thread also holds the write lock waits
     * for nobody, and so has its own room, too.
     */
    RoomId room(Waiter waiter) {
        Object guest = traits().isInOrder() ? waiter : waiter.writerOwner();
        return guest == null ? room : new RoomId(id, guest);
    }
}
