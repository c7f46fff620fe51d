package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.event.EventPublisher;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Releases in Redis whatever this client gives up, including grants that reach Redis only later. Tracks when all releases are done. */
final class PendingReleases {

    private static final LockLog LOG = LockLog.LOG;

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

    private final Timer timer;
    private final Ticker ticker;
    private final RedisGateway gateway;
    private final EventPublisher events;
    private final FencingTokens tokens;
    private final HandOver handOver;
    private final Set<Release> underWay = ConcurrentHashMap.newKeySet();
    private final Map<String, LateAcquisition> late = new ConcurrentHashMap<>();
    private final Set<Runnable> delayed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger undecided = new AtomicInteger();
    private final CompletableFuture<Void> decided = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();

    PendingReleases(
            Timer timer,
            Ticker ticker,
            RedisGateway gateway,
            EventPublisher events,
            FencingTokens tokens,
            HandOver handOver) {
        this.timer = timer;
        this.ticker = ticker;
        this.gateway = gateway;
        this.events = events;
        this.tokens = tokens;
        this.handOver = handOver;
    }

    /**
     * Releases a grant.
     *
     * @param keepUntil the time until which the lock must stay taken
     * @param leaseEnd the latest time at which the lease runs out in Redis
     * @param lease the lease to release, or null if the grant has no lease
     * @return whether the lock belonged to the owner; true if that cannot be known
     */
    CompletableFuture<Boolean> deliver(
            NamedLock lock, String owner, long keepUntil, long leaseEnd, @Nullable HeldLease lease) {
        Release release = start(new Release(lock, owner, keepUntil, leaseEnd, lease, null));
        LateAcquisition expectedLate = late.isEmpty() ? null : late.remove(owner);
        if (expectedLate != null) {
            release.whenComplete((released, failure) -> start(new Release(
                    lock, owner, keepUntil, expectedLate.leaseEnd, null, expectedLate.interruptionsBefore)));
        }
        return release;
    }

    /**
     * Releases an owner that may have a place or a grant in Redis, because nobody waits for its lock any more.
     *
     * @param placeEnd the latest time at which the owner's place ends by itself
     * @param unanswered the failure of a request without an answer, or null if there is none
     */
    void takeBack(NamedLock lock, String owner, long placeEnd, @Nullable RedisFailure unanswered) {
        if (unanswered != null) {
            events.takenBack(lock.name, lock.id.kind(), owner, unanswered);
        }
        deliver(lock, owner, ticker.now(), placeEnd, null);
    }

    /**
     * Called when an acquisition was not answered, and the owner continues to ask under the same owner id. Regardless of the later answers, this
     * acquisition is taken back once the owner is released.
     *
     * @param leaseEnd the latest time at which the lease of the acquisition runs out in Redis
     * @param interruptionsBefore the gateway's count of interruptions when the acquisition was sent
     */
    void expectLateAcquisition(String owner, long leaseEnd, long interruptionsBefore) {
        late.merge(
                owner,
                new LateAcquisition(leaseEnd, interruptionsBefore),
                (before, now) -> new LateAcquisition(now.leaseEnd, before.interruptionsBefore));
        timer.after(
                leaseEnd - ticker.now(),
                () -> late.computeIfPresent(
                        owner, (name, present) -> present.leaseEnd - ticker.now() <= 0 ? null : present));
    }

    private Release start(Release release) {
        underWay.add(release);
        release.send();
        return release;
    }

    /**
     * Announces an owner that may soon be in Redis, but has neither a lease nor a pending release here. {@link #decide} must be called once the owner
     * has one of the two, or can no longer reach Redis. This method is called before {@link #isClosing} is read. So a closing client knows
     * every owner that did not notice the closing.
     */
    void expectOwner() {
        undecided.incrementAndGet();
    }

    void decide() {
        if (undecided.decrementAndGet() == 0 && closing.get()) {
            decided.complete(null);
        }
    }

    /** Called when the client closes, before it gives up its waiters. Returns false if it closes already. */
    boolean close() {
        return closing.compareAndSet(false, true);
    }

    boolean isClosing() {
        return closing.get();
    }

    /** Returns a future that completes when every owner of a closing client has a lease or is being released. Delayed releases start at once. */
    CompletableFuture<Void> decided() {
        List.copyOf(delayed).forEach(this::begin);
        if (undecided.get() == 0) {
            decided.complete(null);
        }
        return decided;
    }

    /** Starts a release after a delay, or when the client closes, whichever is first. */
    void after(long nanos, Runnable release) {
        delayed.add(release);
        if (closing.get()) {
            begin(release);
        } else {
            timer.after(nanos, () -> begin(release));
        }
    }

    private void begin(Runnable release) {
        if (delayed.remove(release)) {
            release.run();
        }
    }

    /** Returns a future that completes when every release that is under way now has ended. */
    CompletableFuture<Void> allReleased() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new));
    }

    /** Ends all releases that are still under way. They are not repeated any more, and the leases run out by themselves. */
    void abandon() {
        underWay.forEach(release -> release.end(true));
    }

    private record LateAcquisition(long leaseEnd, long interruptionsBefore) {}

    /**
     * A release that is repeated until Redis has answered or the lease has run out by itself. Completes with whether the lock belonged to the owner,
     * or with true if that cannot be known.
     *
     * <p>If Redis answers that the lock does not belong to the owner, there are three cases. After an earlier release without an answer, that release
     * has freed the lock. After an acquisition without an answer, over a connection that has ended since, the acquisition may still arrive, so the
     * release is repeated later. Otherwise, the lock was lost.
     */
    private final class Release extends CompletableFuture<Boolean> {

        private final NamedLock lock;
        private final String owner;
        private final long keepUntil;
        private final long leaseEnd;
        private final @Nullable HeldLease lease;
        /** The gateway's count of interruptions when an unanswered acquisition was sent, or null if there is no such acquisition. */
        private final @Nullable Long interruptionsBefore;

        private boolean unanswered;
        private long pause = FIRST_PAUSE;

        Release(
                NamedLock lock,
                String owner,
                long keepUntil,
                long leaseEnd,
                @Nullable HeldLease lease,
                @Nullable Long interruptionsBefore) {
            this.lock = lock;
            this.owner = owner;
            this.keepUntil = keepUntil;
            this.leaseEnd = leaseEnd;
            this.lease = lease;
            this.interruptionsBefore = interruptionsBefore;
        }

        void send() {
            // Rounds up, so that nobody gets the lock before a minimum hold is over.
            long keepNanos = keepUntil - ticker.now() + 999_999;
            long keepMillis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(keepNanos));
            long seen = tokens.highestDrawn();
            lock.protocol.release(lock.id.key(), owner, keepMillis, seen).whenComplete(this::answered);
        }

        private void answered(@Nullable ReleaseResult result, @Nullable Throwable thrown) {
            if (result == null) {
                failed(RedisFailure.of(thrown));
                return;
            }
            if (result.wasOwner() && lock.handsOver) {
                handOver.released(lock.id, result);
            }
            if (acquisitionMayYetCome()) {
                again();
            } else {
                end(result.wasOwner() || unanswered);
            }
        }

        private void failed(RedisFailure failure) {
            unanswered |= failure.isOutcomeUnknown();
            if (isOverwritten(failure)) {
                end(unanswered);
            } else if (failure.kind() == RedisFailure.Kind.REFUSED) {
                refused(failure);
            } else {
                again();
            }
        }

        /** Returns whether another program has overwritten the key with other data. The lock is then gone, as if the key had been deleted. */
        private static boolean isOverwritten(RedisFailure failure) {
            return String.valueOf(failure.getMessage()).contains("WRONGTYPE");
        }

        private boolean acquisitionMayYetCome() {
            return interruptionsBefore != null && interruptionsBefore != gateway.interruptions();
        }

        private void again() {
            if (leaseEnd - ticker.now() <= 0 || (closing.get() && interruptionsBefore != null)) {
                end(true);
                return;
            }
            timer.after(pause, this::send);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }

        /** Ends this release, whatever state Redis is in. */
        void end(boolean wasOwner) {
            underWay.remove(this);
            if (complete(wasOwner) && lease != null) {
                lease.freed(wasOwner, false);
            }
        }

        private void refused(RedisFailure failure) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Lock ''{0}'' (owner {1}) was not released: {2}. It stays held until its lease ends",
                    LogText.escape(lock.id.key()),
                    owner,
                    failure.getMessage());
            underWay.remove(this);
            if (completeExceptionally(failure) && lease != null) {
                // Nobody can tell who has the lock, and the holder no longer needs it.
                lease.freed(true, false);
            }
        }
    }
}
