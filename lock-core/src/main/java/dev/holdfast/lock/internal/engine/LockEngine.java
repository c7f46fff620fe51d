package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.event.AcquisitionSite;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.LeaseKeeper;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.LockPlace;
import dev.holdfast.lock.internal.waiting.WaitableLock;
import dev.holdfast.lock.internal.waiting.Waiter;
import dev.holdfast.lock.internal.waiting.WaitingRooms;
import dev.holdfast.lock.internal.waiting.WaitingRooms.RoomId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One lock of a client's session: starts its acquisitions, creates leases from grants and extends them, and offers a released grant to waiters of this
 * client, or releases it in Redis.
 */
public final class LockEngine implements WaitableLock, LeaseKeeper {

    private static final long SHORTEST_MILLIS = AcquireOptions.MIN_LEASE.toMillis();

    final String name;
    final LockId id;
    final LockProtocol protocol;
    private final Session session;
    private final KindTraits traits;
    private final WaitingRooms rooms;
    private final PendingReleases releases;
    private final HandOver handOver;
    /** The identity of the room that the lock's waiters share. */
    private final RoomId room;

    private volatile @Nullable String wakeChannel;

    LockEngine(
            String name,
            LockId id,
            LockProtocol protocol,
            Session session,
            WaitingRooms rooms,
            PendingReleases releases,
            HandOver handOver) {
        this.name = name;
        this.id = id;
        this.protocol = protocol;
        this.session = session;
        this.traits = protocol.traits();
        this.rooms = rooms;
        this.releases = releases;
        this.handOver = handOver;
        this.room = new RoomId(id, null);
    }

    private long now() {
        return session.settings().ticker().now();
    }

    String key() {
        return id.key();
    }

    @Override
    public String lockName() {
        return name;
    }

    @Override
    public LockKind kind() {
        return id.kind();
    }

    @Override
    public KindTraits traits() {
        return traits;
    }

    /** Returns the channel on which this client is notified about the lock. The channel changes when the client detects that keys have slots. */
    String wakeChannel() {
        String known = wakeChannel;
        if (known == null || !protocol.isWakeChannel(known)) {
            known = session.wakeChannel(protocol.wakePrefix(key()));
            wakeChannel = known;
        }
        return known;
    }

    /** Returns the number of fencing tokens of a grant, one for each of its successive local holders. */
    int tokens() {
        return traits().isHandedOver() ? session.settings().handOvers() + 1 : 1;
    }

    /** Returns whether a released grant may be handed over to the next local waiter. */
    boolean handsOver() {
        return tokens() > 1;
    }

    /** Returns whether the engine belongs to the given session of the client. */
    @SuppressWarnings("ReferenceEquality") // Each session is a distinct object.
    public boolean belongsTo(Session present) {
        return session == present;
    }

    /** Returns the terms of an acquisition: the options, completed by the client's defaults. */
    public LeaseTerms terms(AcquireOptions options, boolean threadBound) {
        Optional<Thread> bound = options.boundThread();
        LeaseTerms terms = new LeaseTerms(
                options.givenLease()
                        .orElse(session.settings().watchdogTimeout())
                        .toNanos(),
                options.isRenewed(),
                options.minHold().toNanos(),
                options.givenMaxHold()
                        .map(limit -> LeaseTerms.nanos("maxHold", limit))
                        .orElse(LeaseTerms.NO_LIMIT),
                threadBound || bound.isPresent(),
                options.interruptsOnLoss(),
                bound.orElseGet(Thread::currentThread),
                session.settings().recordsSites() ? new AcquisitionSite(name) : null);
        checkTime("lease", terms.leaseNanos());
        checkTime("minHold", terms.minHoldNanos());
        return terms;
    }

    /** Starts to acquire a lease that belongs to no thread. */
    public Acquisition<HeldLease> enter(AcquireOptions options, Duration wait) {
        return enter(terms(options, false), LeaseTerms.nanos("wait", wait), null);
    }

    /**
     * Starts an acquisition for the current thread. The thread blocks until the answer, so its other holds of the lock cannot change. Returns null if
     * this thread cannot get the lock.
     */
    public @Nullable Acquisition<HeldLease> enterAsThread(
            AcquireOptions options, Duration wait, ThreadHolds<HeldLease> holds) {
        long waitNanos = LeaseTerms.nanos("wait", wait);
        if (kind() != LockKind.READ && kind() != LockKind.WRITE) {
            return enter(terms(options, true), waitNanos, null);
        }
        if (waitNanos > 0) {
            ReadWriteHolds.refuseUpgrade(holds, id, name);
        }
        return ReadWriteHolds.isUpgrade(holds, id)
                ? null
                : enter(terms(options, true), waitNanos, ReadWriteHolds.writerOwner(holds, id));
    }

    private Acquisition<HeldLease> enter(LeaseTerms terms, long waitNanos, @Nullable String writerOwner) {
        LockAcquisition waiter = new LockAcquisition(session, this, terms, waitNanos, writerOwner);
        if (session.isClosed()) {
            throw RedisFailures.closed(name);
        }
        rooms.enter(room(waiter), this, waiter);
        if (session.isClosed()) {
            rooms.refuseEverybody();
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

    @Override
    public long heldHereNanos() {
        Grant held = handsOver() && !traits.isCounted() ? session.held(id) : null;
        return held == null ? 0 : handOver.heldHereNanos(id, held);
    }

    @Override
    public LockPlace open(LockPlace.Room place) {
        return session.place(this, place);
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean handedOver) {
        HeldLease lease = session.hold(grant, waiter, handedOver, this);
        releases.decide();
        return lease;
    }

    @Override
    public Fit fit(Grant grant, Waiter next) {
        return handOver.fit(id, grant, next);
    }

    @Override
    public CompletionStage<Boolean> lengthen(Grant grant, Waiter next) {
        LeaseTerms terms = next.terms();
        return extend(grant, terms.leaseNanos(), terms.ttlMillis()).exceptionally(failure -> {
            throw RedisFailures.unavailable(name, failure);
        });
    }

    @Override
    public void giveBack(Grant grant) {
        free(grant, now(), null);
        releases.decide();
    }

    @Override
    public void timedOut(Waiter waiter) {
        session.timedOut(this, waiter);
    }

    @Override
    public void unavailable(Waiter waiter, Throwable problem) {
        if (problem instanceof LockUnavailableException && !session.isClosed()) {
            session.unavailable(this, waiter, problem);
        }
    }

    @Override
    public void waitedLong(List<Waiter> waiters, Busy refusal) {
        session.waitedLong(name, waiters, refusal);
    }

    @Override
    public @Nullable String deadlock(Waiter waiter) {
        return session.deadlock(waiter);
    }

    @Override
    public long longestAnswerNanos() {
        ConnectionSettings connection = session.settings().connection();
        Duration longest = session.hasTriedToConnect() ? connection.commandTimeout() : connection.firstConnectTimeout();
        return longest.toNanos();
    }

    @Override
    public RuntimeException unanswered() {
        return RedisFailures.unavailable(
                name, RedisFailure.tooLate("no answer from Redis within the wait and the command timeout"));
    }

    @Override
    public RuntimeException notYet(Busy refusal) {
        return new LockNotYetGrantedException(name, Duration.ofNanos(refusal.retryAfterNanos()));
    }

    @Override
    public RuntimeException closed() {
        return RedisFailures.closed(name);
    }

    @Override
    public void release(HeldLease lease) {
        session.ended(lease);
        Grant grant = lease.grant();
        long now = now();
        boolean nobodyWaits = rooms.isEmpty(room);
        if (nobodyWaits || traits().isEnteredTogether()) {
            free(grant, lease.minHoldEnd(), lease);
        } else if (handsOver() && handOver.isOffered(id, lease, now)) {
            offer(lease, now);
        } else {
            freeForAll(lease, lease.minHoldEnd());
        }
    }

    private void offer(HeldLease lease, long now) {
        releases.expectOwner();
        Consumer<Boolean> outcome = taken -> {
            if (taken) {
                lease.freed(true, true);
            } else {
                freeForAll(lease, now);
                releases.decide();
            }
        };
        if (session.isClosed()) {
            outcome.accept(false);
        } else {
            rooms.offer(room, lease.grant(), outcome);
        }
    }

    private void freeForAll(HeldLease lease, long keepUntil) {
        free(lease.grant(), keepUntil, lease);
        // Posted after the release was sent, so that this client's request follows it on the connection. The room may
        // have no place yet; its new place is then behind the waiters that are already in the queue.
        rooms.askAgain(room);
    }

    /**
     * Releases the lock in Redis. It stays taken until the given time.
     *
     * @param released the lease to release, or null if the grant has no lease any more
     */
    private void free(Grant grant, long keepUntil, @Nullable HeldLease released) {
        long now = now();
        long leaseEnd = now + Math.max(grant.leaseNanos(), keepUntil - now);
        releases.deliver(this, grant.owner(), keepUntil, leaseEnd, released);
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        session.ended(lease);
        rooms.askAgain(room);
        if (cause == LossCause.GONE && !traits().hasMembers()) {
            return;
        }
        // The validity ended earlier than the lease, by the drift allowance. Until the end of the lease, the lock still
        // belongs to its former holder.
        boolean byClock = cause != LossCause.CLOSED && cause != LossCause.MAX_HOLD && cause != LossCause.GONE;
        long rest = byClock ? lease.terms().leaseNanos() / 20 : 0;
        if (rest == 0) {
            free(lease.grant(), lease.minHoldEnd(), null);
        } else {
            releases.after(rest, () -> free(lease.grant(), lease.minHoldEnd(), null));
        }
    }

    @Override
    public LeaseGuard guard(HeldLease lease) {
        return new Guard(lease, protocol, session.settings());
    }

    @Override
    public boolean verify(HeldLease lease) {
        return await(verifyAsync(lease));
    }

    @Override
    public CompletionStage<Boolean> verifyAsync(HeldLease lease) {
        // An extension to less than the rest of the lease changes nothing, and shows whether Redis still names the
        // owner.
        return protocol.extend(lease.grant(), SHORTEST_MILLIS);
    }

    @Override
    public void checkTime(String what, long nanos) {
        session.checkTime(what, nanos);
    }

    @Override
    public boolean extend(HeldLease lease, Duration length) {
        checkTime("lease", length.toNanos());
        return await(extend(lease.grant(), length.toNanos(), lease.terms().ttlMillis()));
    }

    /**
     * Extends a grant. Never requests less than the rest of its lease: this client counts on that time, although the key's time to live in Redis may
     * have been shortened since.
     */
    private CompletionStage<Boolean> extend(Grant grant, long leaseNanos, long ttlMillis) {
        long sentAt = now();
        // Rounds up to whole milliseconds for Redis.
        long askedMillis = TimeUnit.NANOSECONDS.toMillis(Math.max(leaseNanos, grant.endsAt() - sentAt) + 999_999);
        long asked = TimeUnit.MILLISECONDS.toNanos(askedMillis);
        return protocol.extend(grant, Math.max(askedMillis, ttlMillis))
                .thenApply(mine -> mine && grant.confirm(sentAt, asked, now()));
    }

    private boolean await(CompletionStage<Boolean> answer) {
        try {
            return background().join(answer.toCompletableFuture());
        } catch (CompletionException e) {
            throw RedisFailures.unavailable(name, e);
        }
    }

    @Override
    public Renewals renewals() {
        return protocol;
    }

    @Override
    public Background background() {
        return session.settings().background();
    }

    @Override
    public Duration releasePatience() {
        return session.settings().connection().commandTimeout();
    }
}
