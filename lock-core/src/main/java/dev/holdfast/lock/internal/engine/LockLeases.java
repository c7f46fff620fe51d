package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.background.Background;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.LeaseKeeper;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.WaitableLock;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The grants and leases of one lock. Creates leases from grants and extends them. Offers a released grant to waiters of this client, or releases it
 * in Redis.
 */
final class LockLeases implements WaitableLock, LeaseKeeper {

    private static final long SHORTEST_MILLIS = AcquireOptions.MIN_LEASE.toMillis();

    private final LockEngine lock;

    LockLeases(LockEngine lock) {
        this.lock = lock;
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
    public KindTraits traits() {
        return lock.traits();
    }

    @Override
    public long heldHereNanos() {
        return lock.client.handOver.heldHereNanos(lock);
    }

    @Override
    public GrantSource open(GrantSource.Receiver room) {
        return new QueuePlace(lock, room);
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean handedOver) {
        long now = lock.client.ticker.now();
        long startedAt = handedOver ? now : grant.grantedAt();
        HeldLease lease = lock.client.watchdog.hold(grant, waiter.terms(), startedAt, this);
        lock.client.leasesByKey.add(lease, waiter.writerOwner());
        // The first token of a grant shows that the grant comes from Redis, and not from a holder of this client.
        boolean fromHolder = handedOver && !FencingTokens.isFirst(lease.fencingToken());
        lock.client.events.acquired(lease, now - waiter.since(), fromHolder);
        lock.client.releases.decide();
        return lease;
    }

    @Override
    public Fit fit(Grant grant, Waiter next) {
        return lock.client.handOver.fit(lock, grant, next);
    }

    @Override
    public CompletionStage<Boolean> lengthen(Grant grant, Waiter next) {
        LeaseTerms terms = next.terms();
        return extend(grant, terms.leaseNanos(), terms.ttlMillis()).exceptionally(failure -> {
            throw RedisFailures.unavailable(lock.name, failure);
        });
    }

    @Override
    public void giveBack(Grant grant) {
        free(grant, lock.client.ticker.now(), null);
        lock.client.releases.decide();
    }

    @Override
    public void timedOut(Waiter waiter) {
        lock.client.events.timedOut(lock.name, kind(), lock.client.ticker.now() - waiter.since());
    }

    @Override
    public void unavailable(Waiter waiter, Throwable problem) {
        if (problem instanceof LockUnavailableException && !lock.client.closed.get()) {
            lock.client.events.unavailable(lock.name, kind(), lock.client.ticker.now() - waiter.since(), problem);
        }
    }

    @Override
    public void waitedLong(List<Waiter> waiters, Busy refusal) {
        lock.client.deadlocks.report(lock.name, waiters, refusal);
    }

    @Override
    public @Nullable String deadlock(Waiter waiter) {
        return lock.client.deadlocks.of(waiter);
    }

    @Override
    public long longestAnswerNanos() {
        Duration longest = lock.client.gateway.attempted().isDone()
                ? lock.client.settings.connection().commandTimeout()
                : lock.client.settings.connection().firstConnectTimeout();
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
        lock.client.leasesByKey.remove(lease);
        Grant grant = lease.grant();
        long now = lock.client.ticker.now();
        boolean nobodyWaits = lock.client.rooms.isEmpty(lock.room);
        if (nobodyWaits || lock.traits().isEnteredTogether()) {
            free(grant, lease.minHoldEnd(), lease);
        } else if (lock.client.handOver.isOffered(lock, lease, now)) {
            offer(lease, now);
        } else {
            freeForAll(lease, lease.minHoldEnd());
        }
    }

    private void offer(HeldLease lease, long now) {
        lock.client.releases.expectOwner();
        Consumer<Boolean> outcome = taken -> {
            if (taken) {
                lease.freed(true, true);
            } else {
                freeForAll(lease, now);
                lock.client.releases.decide();
            }
        };
        if (lock.client.closed.get()) {
            outcome.accept(false);
        } else {
            lock.client.rooms.offer(lock.room, lease.grant(), outcome);
        }
    }

    private void freeForAll(HeldLease lease, long keepUntil) {
        free(lease.grant(), keepUntil, lease);
        // Posted after the release was sent, so that this client's request follows it on the connection. The room may
        // have no place yet; its new place is then behind the waiters that are already in the queue.
        lock.client.rooms.askAgain(lock.room);
    }

    /**
     * Releases the lock in Redis. It stays taken until the given time.
     *
     * @param released the lease to release, or null if the grant has no lease any more
     */
    private void free(Grant grant, long keepUntil, @Nullable HeldLease released) {
        long now = lock.client.ticker.now();
        long leaseEnd = now + Math.max(grant.leaseNanos(), keepUntil - now);
        lock.client.releases.deliver(lock, grant.owner(), keepUntil, leaseEnd, released);
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        lock.client.leasesByKey.remove(lease);
        lock.client.rooms.askAgain(lock.room);
        if (cause == LossCause.GONE && !lock.traits().hasMembers()) {
            return;
        }
        // The validity ended earlier than the lease, by the drift allowance. Until the end of the lease, the lock still
        // belongs to its former holder.
        boolean byClock = cause != LossCause.CLOSED && cause != LossCause.MAX_HOLD && cause != LossCause.GONE;
        long rest = byClock ? lease.terms().leaseNanos() / 20 : 0;
        if (rest == 0) {
            free(lease.grant(), lease.minHoldEnd(), null);
        } else {
            lock.client.releases.after(rest, () -> free(lease.grant(), lease.minHoldEnd(), null));
        }
    }

    @Override
    public boolean verify(HeldLease lease) {
        // An extension to less than the rest of the lease changes nothing, and shows whether Redis still names the
        // owner.
        return await(lock.protocol.extend(lease.grant(), SHORTEST_MILLIS));
    }

    @Override
    public boolean extend(HeldLease lease, Duration length) {
        return await(extend(lease.grant(), length.toNanos(), lease.terms().ttlMillis()));
    }

    /**
     * Extends a grant. Never requests less than the rest of its lease: this client counts on that time, although the key's time to live in Redis may
     * have been shortened since.
     */
    private CompletionStage<Boolean> extend(Grant grant, long leaseNanos, long ttlMillis) {
        long sentAt = lock.client.ticker.now();
        // Rounds up to whole milliseconds for Redis.
        long askedMillis = TimeUnit.NANOSECONDS.toMillis(Math.max(leaseNanos, grant.endsAt() - sentAt) + 999_999);
        long asked = TimeUnit.MILLISECONDS.toNanos(askedMillis);
        return lock.protocol
                .extend(grant, Math.max(askedMillis, ttlMillis))
                .thenApply(mine -> mine && grant.confirm(sentAt, asked, lock.client.ticker.now()));
    }

    private boolean await(CompletionStage<Boolean> answer) {
        try {
            return lock.client.background.join(answer.toCompletableFuture());
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
        return lock.client.background;
    }

    @Override
    public Duration releasePatience() {
        return lock.client.settings.connection().commandTimeout();
    }
}
