package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LeaseGuard;
import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockNotYetGrantedException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.ConnectionSettings;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.event.AcquisitionSite;
import dev.holdfast.lock.internal.lease.Answer.Busy;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.HeldLease.LeaseKeeper;
import dev.holdfast.lock.internal.lease.HeldLease.Renewals;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.thread.Acquisition;
import dev.holdfast.lock.internal.waiting.LockPlace;
import dev.holdfast.lock.internal.waiting.WaitableLock;
import dev.holdfast.lock.internal.waiting.Waiter;
import dev.holdfast.lock.internal.waiting.WaitingRooms.RoomId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One lock of a client's session: starts its acquisitions, creates leases from grants and extends them, and offers a released grant to waiters of this
 * client, or releases it in Redis.
 */
public final class LockEngine implements WaitableLock, LeaseKeeper {

    private final Session session;
    private final NamedLock lock;
    /** The identity of the room that the lock's waiters share. */
    private final RoomId room;

    /**
     * Creates the engine of a lock.
     *
     * @param several the keys of a lock with several names, which share a slot; empty for a lock with one name
     */
    public LockEngine(Session session, String name, LockId id, List<String> several) {
        this.session = session;
        this.lock = new NamedLock(name, id, session.protocol(id.kind(), several), session.settings.handOvers());
        this.room = new RoomId(id, null);
    }

    private long now() {
        return session.settings.ticker().now();
    }

    @Override
    public String lockName() {
        return lock.name;
    }

    @Override
    public LockKind kind() {
        return lock.id.kind();
    }

    /** Returns whether the engine belongs to the given session. The next start of the client creates other engines. */
    @SuppressWarnings("ReferenceEquality") // Each session has an object of its own.
    public boolean isOf(Session present) {
        return session == present;
    }

    /** Returns the terms of an acquisition: the options, completed by the client's defaults. */
    public LeaseTerms terms(AcquireOptions options, boolean threadBound) {
        Optional<Thread> bound = options.boundThread();
        LeaseTerms terms = new LeaseTerms(
                options.givenLease().orElse(session.settings.watchdogTimeout()).toNanos(),
                options.isRenewed(),
                options.minHold().toNanos(),
                options.givenMaxHold()
                        .map(limit -> LeaseTerms.nanos("maxHold", limit))
                        .orElse(LeaseTerms.NO_LIMIT),
                threadBound || bound.isPresent(),
                options.interruptsOnLoss(),
                bound.orElseGet(Thread::currentThread),
                session.settings.recordsSites() ? new AcquisitionSite(lock.name) : null);
        checkTime("lease", terms.leaseNanos());
        checkTime("minHold", terms.minHoldNanos());
        return terms;
    }

    /**
     * Starts an acquisition for the current thread, or of a lease that belongs to no thread. A thread blocks until the answer, so its other holds of the
     * lock cannot change. Returns null if this thread cannot get the lock.
     */
    public @Nullable Acquisition<HeldLease> enter(AcquireOptions options, Duration wait, boolean asThread) {
        long waitNanos = LeaseTerms.nanos("wait", wait);
        String writerOwner = null;
        if (asThread && (kind() == LockKind.READ || kind() == LockKind.WRITE)) {
            if (ReadWriteHolds.isUpgrade(session.holds, lock.id)) {
                if (waitNanos > 0) {
                    throw ReadWriteHolds.refusedUpgrade(lock.name);
                }
                return null;
            }
            writerOwner = ReadWriteHolds.writerOwner(session.holds, lock.id);
        }
        LockAcquisition waiter = new LockAcquisition(session, lock, terms(options, asThread), waitNanos, writerOwner);
        if (session.releases.isClosing()) {
            throw RedisFailures.closed(lock.name);
        }
        session.rooms.enter(room(waiter), this, waiter);
        if (session.releases.isClosing()) {
            session.rooms.refuseEverybody();
        }
        return waiter;
    }

    /**
     * Returns the room for a waiter. Each waiter for a fair lock has its own room and place. A reader whose thread also holds the write lock waits
     * for nobody, and so has its own room, too.
     */
    RoomId room(Waiter waiter) {
        Object guest = lock.protocol.isInOrder() ? waiter : waiter.writerOwner();
        return guest == null ? room : new RoomId(lock.id, guest);
    }

    @Override
    public long heldHereNanos() {
        Grant held = lock.handsOver && kind() != LockKind.SEMAPHORE ? session.leases.grantOf(lock.id) : null;
        return held == null ? 0 : session.handOver.heldHereNanos(lock.id, held);
    }

    @Override
    public LockPlace open(Waiter.Entry place) {
        return new QueuePlace(session, lock, place);
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean handedOver) {
        long now = now();
        HeldLease lease = session.leases.hold(
                grant, waiter.terms(), handedOver ? now : grant.grantedAt(), waiter.writerOwner(), this);
        // The first token of a grant shows that the grant comes from Redis, and not from a holder of this client.
        boolean fromHolder = handedOver && !FencingTokens.isFirst(lease.fencingToken());
        session.events.acquired(lease, now - waiter.since(), fromHolder);
        session.releases.decide();
        return lease;
    }

    @Override
    public boolean fits(Grant grant, Waiter next) {
        return session.handOver.fits(lock.id, grant, next);
    }

    @Override
    public void giveBack(Grant grant) {
        free(grant, now(), null);
        session.releases.decide();
    }

    @Override
    public long longestAnswerNanos() {
        ConnectionSettings connection = session.settings.connection();
        Duration longest =
                session.gateway.attempted().isDone() ? connection.commandTimeout() : connection.firstConnectTimeout();
        return longest.toNanos();
    }

    @Override
    public RuntimeException unanswered() {
        return RedisFailures.unavailable(
                lock.name, RedisFailure.tooLate("no answer from Redis within the wait and the command timeout"));
    }

    @Override
    public RuntimeException closed() {
        return RedisFailures.closed(lock.name);
    }

    @Override
    public void release(HeldLease lease) {
        Grant grant = lease.grant();
        long now = now();
        boolean nobodyWaits = session.rooms.isEmpty(room);
        if (nobodyWaits || kind() == LockKind.READ) {
            free(grant, lease.minHoldEnd(), lease);
        } else if (lock.handsOver && session.handOver.isOffered(lock.id, lease, now)) {
            offer(lease, now);
        } else {
            freeForAll(lease, lease.minHoldEnd());
        }
    }

    private void offer(HeldLease lease, long now) {
        session.releases.expectOwner();
        Consumer<Boolean> outcome = taken -> {
            if (taken) {
                lease.freed(true, true);
            } else {
                freeForAll(lease, now);
                session.releases.decide();
            }
        };
        if (session.releases.isClosing()) {
            outcome.accept(false);
        } else {
            session.rooms.offer(room, lease.grant(), outcome);
        }
    }

    private void freeForAll(HeldLease lease, long keepUntil) {
        free(lease.grant(), keepUntil, lease);
        // Posted after the release was sent, so that this client's request follows it on the connection. The room may
        // have no place yet; its new place is then behind the waiters that are already in the queue.
        session.rooms.askAgain(room);
    }

    /**
     * Releases the lock in Redis. It stays taken until the given time.
     *
     * @param released the lease to release, or null if the grant has no lease any more
     */
    private void free(Grant grant, long keepUntil, @Nullable HeldLease released) {
        long now = now();
        long leaseEnd = now + Math.max(grant.leaseNanos(), keepUntil - now);
        session.releases.deliver(lock, grant.owner(), keepUntil, leaseEnd, released);
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        session.rooms.askAgain(room);
        if (cause == LossCause.GONE && !lock.protocol.hasMembers()) {
            return;
        }
        // The validity ended earlier than the lease, by the drift allowance. Until the end of the lease, the lock still
        // belongs to its former holder.
        boolean byClock = cause != LossCause.CLOSED && cause != LossCause.MAX_HOLD && cause != LossCause.GONE;
        long rest = byClock ? lease.terms().leaseNanos() / 20 : 0;
        if (rest == 0) {
            free(lease.grant(), lease.minHoldEnd(), null);
        } else {
            session.releases.after(rest, () -> free(lease.grant(), lease.minHoldEnd(), null));
        }
    }

    @Override
    public LeaseGuard guard(HeldLease lease) {
        return new Guard(lease, lock.protocol, session.settings);
    }

    @Override
    public boolean verify(HeldLease lease) {
        return await(verifyAsync(lease));
    }

    @Override
    public CompletionStage<Boolean> verifyAsync(HeldLease lease) {
        // An extension to less than the rest of the lease changes nothing, and shows whether Redis still names the
        // owner.
        return lock.protocol.extend(lease.grant(), AcquireOptions.MIN_LEASE.toMillis());
    }

    @Override
    public void checkTime(String what, long nanos) {
        if (nanos > session.longestLease) {
            throw session.grace.tooLong(what, nanos);
        }
    }

    @Override
    public boolean extend(HeldLease lease, Duration length) {
        checkTime("lease", length.toNanos());
        Grant grant = lease.grant();
        long sentAt = now();
        // Never less than the rest of the lease: this client counts on that time, although the key's time to live in
        // Redis may have been shortened since. Rounds up to whole milliseconds for Redis.
        long millis = TimeUnit.NANOSECONDS.toMillis(Math.max(length.toNanos(), grant.endsAt() - sentAt) + 999_999);
        return await(lock.protocol
                .extend(grant, Math.max(millis, lease.terms().ttlMillis()))
                .thenApply(mine -> mine && grant.confirm(sentAt, TimeUnit.MILLISECONDS.toNanos(millis), now())));
    }

    private boolean await(CompletionStage<Boolean> answer) {
        return background().join(answer.toCompletableFuture(), failure -> RedisFailures.ofAnswer(lock.name, failure));
    }

    @Override
    public Renewals renewals() {
        return lock.protocol;
    }

    @Override
    public Background background() {
        return session.settings.background();
    }

    @Override
    public Executor callbacks() {
        return session.settings.callbacks();
    }

    @Override
    public Duration releasePatience() {
        return session.settings.connection().commandTimeout();
    }

    /**
     * An acquisition of a lock by one waiter. Provides the caller with the holder if the lock is busy until the end of the wait, or with the reason
     * why it is unavailable. Does not refer to the engine, so that thousands of waiters keep only the one of their room.
     */
    private static final class LockAcquisition extends Waiter {

        private final Session session;
        private final String name;
        private final LockId id;

        LockAcquisition(
                Session session, NamedLock lock, LeaseTerms terms, long waitNanos, @Nullable String writerOwner) {
            super(terms, waitNanos, session.settings.ticker().now(), writerOwner);
            this.session = session;
            this.name = lock.name;
            this.id = lock.id;
        }

        @Override
        protected Background background() {
            return session.settings.background();
        }

        @Override
        protected String lockName() {
            return name;
        }

        /** Creates the exception anew with the lock name that this caller used, because the waiters of a room may use different names. */
        @Override
        protected RuntimeException failure(@Nullable Throwable thrown) {
            return isClosed() ? RedisFailures.closed(name) : RedisFailures.anew(name, thrown);
        }

        @Override
        protected Throwable asyncFailure(Throwable thrown) {
            return isClosed() ? failure(thrown) : thrown;
        }

        @Override
        protected void timedOut() {
            session.events.timedOut(name, id.kind(), waited());
        }

        @Override
        protected void unavailable(Throwable problem) {
            if (problem instanceof LockUnavailableException && !isClosed()) {
                session.events.unavailable(name, id.kind(), waited(), problem);
            }
        }

        @Override
        protected RuntimeException notYet(Busy refusal) {
            session.events.notYet();
            return new LockNotYetGrantedException(name, Duration.ofNanos(refusal.retryAfterNanos()));
        }

        private long waited() {
            return session.settings.ticker().now() - since();
        }

        private boolean isClosed() {
            return session.releases.isClosing();
        }

        /**
         * Asks Redis for the present state. The time for this is what is left of the command timeout, by which every call may exceed its wait. Empty if
         * Redis has not answered by then.
         */
        @Override
        protected CompletableFuture<Optional<LockState>> presentState() {
            long late = waited() - Math.max(0, waitNanos());
            long left = session.settings.connection().commandTimeout().toNanos() - Math.max(0, late);
            if (left <= 0 || isClosed()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            CompletableFuture<Optional<LockState>> found = session.inspector
                    .inspectWithNames(name, takenKey(), 0, 0)
                    .exceptionally(failure -> Optional.empty());
            Timer.Timeout overdue = session.timer.after(left, () -> found.complete(Optional.empty()));
            found.whenComplete((state, failure) -> overdue.cancel());
            return found;
        }

        /** Returns the key that is taken. Several names that form one lock have no common key, but the refusal says which of their keys is taken. */
        private String takenKey() {
            Busy busy = lastRefusal();
            return busy == null || busy.takenKey() == null ? id.key() : busy.takenKey();
        }

        private @Nullable Busy lastRefusal() {
            return lastAnswer() instanceof Busy busy ? busy : null;
        }

        @Override
        protected LockException busy(Optional<LockState> found) {
            Duration wait = Duration.ofNanos(waitNanos());
            if (found.isPresent()) {
                return new LockNotAcquiredException(name, wait, found.get());
            }
            Busy busy = lastRefusal();
            Duration left = busy == null || busy.holder() == null || busy.retryAfterNanos() == Long.MAX_VALUE
                    ? null
                    : Duration.ofMillis(busy.retryAfterNanos() / 1_000_000);
            return new LockNotAcquiredException(name, wait, busy == null ? null : busy.holder(), left);
        }
    }
}
