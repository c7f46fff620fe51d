package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.LockLog;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseRequest;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Releases in Redis what is given up here, also what comes there only later; and knows when all of it is done. */
public final class PendingReleases {

    private static final LockLog LOG = LockLog.LOG;

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

    private final Timer timer;
    private final Ticker ticker;
    private final Set<Release> underWay = ConcurrentHashMap.newKeySet();
    private final Map<String, LateAcquisition> late = new ConcurrentHashMap<>();
    private final Set<Runnable> keptBack = ConcurrentHashMap.newKeySet();
    private final AtomicInteger undecided = new AtomicInteger();
    private final CompletableFuture<Void> decided = new CompletableFuture<>();
    private volatile boolean closing;

    public PendingReleases(Timer timer, Ticker ticker) {
        this.timer = timer;
        this.ticker = ticker;
    }

    /**
     * Releases a grant.
     *
     * @param keepUntil until when the lock must stay taken
     * @param leaseEnd when the lease will have run out in Redis at the latest
     * @param lease the lease to release; null if the grant has no lease
     * @return what Redis said; says that the lock was the owner's where nobody can know
     */
    CompletableFuture<Boolean> deliver(
            LockEngine lock, String owner, long keepUntil, long leaseEnd, @Nullable HeldLease lease) {
        Release release = start(new Release(lock, owner, keepUntil, leaseEnd, lease, null));
        LateAcquisition expectedLate = late.isEmpty() ? null : late.remove(owner);
        if (expectedLate != null) {
            release.whenComplete((released, failure) -> start(new Release(
                    lock, owner, keepUntil, expectedLate.leaseEnd, null, expectedLate.interruptionsBefore)));
        }
        return release;
    }

    /**
     * An owner that goes on asking under the same name has an acquisition without an answer. However the others end: once the owner is released,
     * this one is taken back.
     *
     * @param leaseEnd when its lease will have run out in Redis at the latest
     * @param interruptionsBefore the gateway's count when it was sent
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
     * From now on Redis may have an owner of this client that is neither a lease here nor being released. {@link #decide} follows once it is one of
     * the two, or cannot come to Redis any more. Called before {@link ClientSession#closed} is read: so a client that closes knows of every owner that
     * did not see it close.
     */
    void expectOwner() {
        undecided.incrementAndGet();
    }

    void decide() {
        if (undecided.decrementAndGet() == 0 && closing) {
            decided.complete(null);
        }
    }

    /** Completes when every owner is a lease or being released; from now on no acquisition without an answer is waited for. */
    CompletableFuture<Void> decided() {
        closing = true;
        List.copyOf(keptBack).forEach(this::begin);
        if (undecided.get() == 0) {
            decided.complete(null);
        }
        return decided;
    }

    /** Begins a release later, at the latest when the client closes. */
    void after(long nanos, Runnable release) {
        keptBack.add(release);
        if (closing) {
            begin(release);
        } else {
            timer.after(nanos, () -> begin(release));
        }
    }

    private void begin(Runnable release) {
        if (keptBack.remove(release)) {
            release.run();
        }
    }

    /** Completes when every release that is under way now has come to its end. */
    public CompletableFuture<Void> allReleased() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new));
    }

    /** Ends what is still under way: nothing will be repeated any more, and the leases run out by themselves. */
    void abandon() {
        underWay.forEach(release -> release.end(true));
    }

    private record LateAcquisition(long leaseEnd, long interruptionsBefore) {}

    /**
     * A release on its way: repeated until Redis has answered, or the lease has run out by itself. Completes with what Redis said; with true where
     * nobody can know whether the lock was the owner's.
     *
     * <p>"Not yours" has three meanings. After an earlier try without an answer: that one did it. After an acquisition without an answer, over a
     * connection that has ended since: perhaps the acquisition is yet to come, so ask again later. Otherwise: the lock was lost.
     */
    private final class Release extends CompletableFuture<Boolean> {

        private final LockEngine lock;
        private final String owner;
        private final long keepUntil;
        private final long leaseEnd;
        private final @Nullable HeldLease lease;
        /** The gateway's count when an acquisition was sent that has no answer; null if there is none. */
        private final @Nullable Long interruptionsBefore;

        private boolean unanswered;
        private long pause = FIRST_PAUSE;

        Release(
                LockEngine lock,
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
            // Rounded up: nobody gets in before a minimum hold is over.
            long keepNanos = keepUntil - ticker.now() + 999_999;
            long keepMillis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(keepNanos));
            long seen = FencingTokens.drawn(lock.client.highestToken.get());
            lock.protocol
                    .release(new ReleaseRequest(lock.key(), owner, keepMillis, seen))
                    .whenComplete(this::answered);
        }

        private void answered(@Nullable ReleaseResult result, @Nullable Throwable thrown) {
            if (result != null && result.wasOwner() && lock.handsOver()) {
                lock.client.redissonWaiters.released(lock.key(), result.heard() > 0);
            }
            if (result == null) {
                failed(RedisFailure.of(thrown));
            } else if (acquisitionMayYetCome()) {
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

        /** Another program wrote something else under the key: the lock is gone, as if the key had been deleted. */
        private static boolean isOverwritten(RedisFailure failure) {
            return String.valueOf(failure.getMessage()).contains("WRONGTYPE");
        }

        private boolean acquisitionMayYetCome() {
            return interruptionsBefore != null && interruptionsBefore != lock.client.gateway.interruptions();
        }

        private void again() {
            if (leaseEnd - ticker.now() <= 0 || (closing && interruptionsBefore != null)) {
                end(true);
                return;
            }
            timer.after(pause, this::send);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }

        /** Ends it, whatever Redis has. */
        void end(boolean wasOwner) {
            underWay.remove(this);
            if (complete(wasOwner) && lease != null) {
                lease.freed(wasOwner);
            }
        }

        private void refused(RedisFailure failure) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Releasing ''{0}'' (owner {1}) was {2}. It stays taken until its lease runs out",
                    LogText.escape(lock.key()),
                    owner,
                    failure.getMessage());
            underWay.remove(this);
            if (completeExceptionally(failure) && lease != null) {
                // Nobody can say whose it is: the holder is done with it.
                lease.freed(true);
            }
        }
    }
}
