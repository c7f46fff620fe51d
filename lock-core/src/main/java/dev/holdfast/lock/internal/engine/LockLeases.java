package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseKeeper;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.WaitableLock;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one lock: makes them leases, extends them, passes a released one on to the next local waiter, or frees it in Redis, so that other
 * clients have their share.
 *
 * <p>A grant is passed on only for a moment after its tokens were drawn. Later, Redis may have lost it and granted the lock to another client with a
 * greater token. A renewal would not help: while two masters serve, the old one confirms what the new one has forgotten.
 */
final class LockLeases implements WaitableLock, LeaseKeeper {

    /** A grant that has more than so many times the next holder's lease left is not passed on to it. */
    private static final int LONGEST_SHARE = 2;

    /** A waiter of the holder's own client asks when the grant is that old: its place in line is no younger than that. */
    private static final long LATEST_QUESTION = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long ENOUGH_TO_RENEW = TimeUnit.SECONDS.toNanos(1);
    private static final long SHORTEST_MILLIS = AcquireOptions.MIN_LEASE.toMillis();

    private final LockEngine lock;
    private final ClientSession client;

    LockLeases(LockEngine lock) {
        this.lock = lock;
        this.client = lock.client;
    }

    @Override
    public String lockName() {
        return lock.name;
    }

    @Override
    public LockKind kind() {
        return lock.kind();
    }

    @Override
    public long heldHereNanos() {
        if (!lock.handsOver() || kind().isSemaphore()) {
            return 0;
        }
        Grant grant = client.leasesByKey.held(lock.id);
        return grant == null ? 0 : Math.max(0, Math.min(handOverNanos(), LATEST_QUESTION) - age(grant));
    }

    private long handOverNanos() {
        return client.redissonWaiters.waitFor(lock.key()) ? 0 : client.settings.handOverNanos();
    }

    /** How long ago its tokens were drawn at most. */
    private long age(Grant grant) {
        return client.ticker.now() - grant.grantedAt();
    }

    @Override
    public GrantSource open() {
        return new QueuePlace(lock);
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        long now = client.ticker.now();
        long startedAt = passedOn ? now : grant.grantedAt();
        HeldLease lease = client.watchdog.hold(grant, waiter.terms(), startedAt, this);
        client.leasesByKey.add(lease, waiter.writerOwner());
        // A grant that nobody has held yet was passed over a waiter who left, not taken over.
        boolean takenOver = passedOn && !FencingTokens.isFirst(lease.fencingToken());
        client.events.acquired(lease, now - waiter.since(), takenOver);
        client.releases.decide();
        return lease;
    }

    @Override
    public boolean mayHandOver(Grant grant, LeaseTerms next) {
        return age(grant) < handOverNanos()
                && grant.hasToken()
                && client.tokenMinimum.allows(grant)
                && !isTooLong(grant, next)
                && isLongEnough(grant, next);
    }

    @Override
    public CompletionStage<Boolean> adaptLease(Grant grant, Waiter next) {
        LeaseTerms terms = next.terms();
        boolean drawnBefore = next.since() - grant.grantedAt() > handOverNanos();
        if (drawnBefore || isTooLong(grant, terms)) {
            return CompletableFuture.completedFuture(false);
        }
        if (isLongEnough(grant, terms)) {
            return CompletableFuture.completedFuture(true);
        }
        return extend(grant, terms.leaseNanos(), terms.ttlMillis()).exceptionally(failure -> {
            throw RedisFailures.unavailable(lock.name, failure);
        });
    }

    private long left(Grant grant) {
        return grant.validUntil() - client.ticker.now();
    }

    private boolean isLongEnough(Grant grant, LeaseTerms terms) {
        long wanted = terms.leaseNanos();
        long least = terms.renewed()
                // The watchdog renews it at once if little is left.
                ? Math.min(wanted / 2, ENOUGH_TO_RENEW)
                : wanted - wanted / 20 - 1;
        return terms.minHoldNanos() == 0 && left(grant) > least;
    }

    /** Whether it would outlive a holder that dies by much more than that holder's lease. */
    private boolean isTooLong(Grant grant, LeaseTerms terms) {
        return left(grant) > LONGEST_SHARE * terms.leaseNanos();
    }

    @Override
    public void giveBack(Grant grant) {
        free(grant, client.ticker.now(), null);
        client.releases.decide();
    }

    @Override
    public void timedOut(Waiter waiter) {
        client.events.timedOut(lock.name, kind(), client.ticker.now() - waiter.since());
    }

    @Override
    public void unavailable(Waiter waiter, Throwable problem) {
        if (problem instanceof LockUnavailableException && !client.closed.get()) {
            client.events.unavailable(lock.name, kind(), client.ticker.now() - waiter.since(), problem);
        }
    }

    @Override
    public long longestAnswerNanos() {
        Duration longest = client.gateway.attempted().isDone()
                ? client.settings.connection().commandTimeout()
                : client.settings.connection().firstConnectTimeout();
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
        client.leasesByKey.remove(lease);
        Grant grant = lease.grant();
        long now = client.ticker.now();
        boolean nobodyWaits = client.rooms.isEmpty(lock.room);
        if (nobodyWaits || lock.protocol.isShared()) {
            free(grant, lease.minHoldEnd(), lease);
        } else if (lease.minHoldEnd() - now > 0 || ReadWriteHolds.goesOnReading(lock, lease)) {
            freeForAll(lease, lease.minHoldEnd());
        } else if (lock.handsOver()) {
            handOver(lease, now);
        } else {
            freeForAll(lease, now);
        }
    }

    private void handOver(HeldLease lease, long now) {
        client.releases.expectOwner();
        Consumer<Boolean> outcome = passed -> {
            if (passed) {
                lease.handOver();
                lease.freed(true);
            } else {
                freeForAll(lease, now);
                client.releases.decide();
            }
        };
        if (client.closed.get()) {
            outcome.accept(false);
        } else {
            client.rooms.pass(lock.room, lease.grant(), outcome);
        }
    }

    private void freeForAll(HeldLease lease, long keepUntil) {
        free(lease.grant(), keepUntil, lease);
        // Behind the release on its connection: this client's place is behind those that wait. It may have none yet.
        client.rooms.askAgain(lock.room);
    }

    /**
     * Frees the lock in Redis, which keeps it from everybody until the given moment.
     *
     * @param released the lease whose release this is; null if it has none any more
     */
    private void free(Grant grant, long keepUntil, @Nullable HeldLease released) {
        long now = client.ticker.now();
        long leaseEnd = now + Math.max(grant.leaseNanos(), keepUntil - now);
        client.releases.deliver(lock, grant.owner(), keepUntil, leaseEnd, released);
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        client.leasesByKey.remove(lease);
        client.rooms.askAgain(lock.room);
        if (cause == LossCause.GONE && !lock.protocol.hasMembers()) {
            return;
        }
        // The validity ended a drift allowance before the lease did; until then the lock is still its late holder's.
        boolean byClock = cause != LossCause.CLOSED && cause != LossCause.MAX_HOLD && cause != LossCause.GONE;
        long rest = byClock ? lease.terms().leaseNanos() / 20 : 0;
        if (rest == 0) {
            free(lease.grant(), lease.minHoldEnd(), null);
        } else {
            client.releases.after(rest, () -> free(lease.grant(), lease.minHoldEnd(), null));
        }
    }

    @Override
    public boolean verify(HeldLease lease) {
        // An extension by less than is left changes nothing and asks all there is to ask.
        return await(lock.protocol.extend(lease.grant(), SHORTEST_MILLIS));
    }

    @Override
    public boolean extend(HeldLease lease, Duration length) {
        return await(extend(lease.grant(), length.toNanos(), lease.terms().ttlMillis()));
    }

    /** Asks for no less than what is left: what the grant relies on afterward must be what Redis has, even if the key was cut meanwhile. */
    private CompletionStage<Boolean> extend(Grant grant, long leaseNanos, long ttlMillis) {
        long sentAt = client.ticker.now();
        // Rounded up to what Redis can have.
        long askedMillis = TimeUnit.NANOSECONDS.toMillis(Math.max(leaseNanos, grant.endsAt() - sentAt) + 999_999);
        long asked = TimeUnit.MILLISECONDS.toNanos(askedMillis);
        return lock.protocol
                .extend(grant, Math.max(askedMillis, ttlMillis))
                .thenApply(mine -> mine && grant.confirm(sentAt, asked, client.ticker.now()));
    }

    private boolean await(CompletionStage<Boolean> answer) {
        try {
            return client.background.join(answer.toCompletableFuture());
        } catch (CompletionException e) {
            throw RedisFailures.unavailable(lock.name, e);
        }
    }

    @Override
    public Renewals renewals() {
        return lock.protocol;
    }

    @Override
    public Background background() {
        return client.background;
    }

    @Override
    public Duration releasePatience() {
        return client.settings.connection().commandTimeout();
    }
}
