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
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.WaitableLock;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The grants of one lock: makes them leases, extends them, offers a released one to those who wait here, or frees it in Redis. */
final class LockLeases implements WaitableLock, LeaseKeeper {

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
    public KindTraits traits() {
        return lock.traits();
    }

    @Override
    public long heldHereNanos() {
        return client.handOver.heldHereNanos(lock);
    }

    @Override
    public GrantSource open(GrantSource.Receiver room) {
        return new QueuePlace(lock, room);
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean handedOver) {
        long now = client.ticker.now();
        long startedAt = handedOver ? now : grant.grantedAt();
        HeldLease lease = client.watchdog.hold(grant, waiter.terms(), startedAt, this);
        client.leasesByKey.add(lease, waiter.writerOwner());
        // A grant that nobody has held yet came past a waiter who left.
        boolean fromHolder = handedOver && !FencingTokens.isFirst(lease.fencingToken());
        client.events.acquired(lease, now - waiter.since(), fromHolder);
        client.releases.decide();
        return lease;
    }

    @Override
    public Fit fit(Grant grant, Waiter next) {
        return client.handOver.fit(lock, grant, next);
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
        if (nobodyWaits || lock.traits().isEnteredTogether()) {
            free(grant, lease.minHoldEnd(), lease);
        } else if (client.handOver.isOffered(lock, lease, now)) {
            offer(lease, now);
        } else {
            freeForAll(lease, lease.minHoldEnd());
        }
    }

    private void offer(HeldLease lease, long now) {
        client.releases.expectOwner();
        Consumer<Boolean> outcome = taken -> {
            if (taken) {
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
            client.rooms.offer(lock.room, lease.grant(), outcome);
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
        if (cause == LossCause.GONE && !lock.traits().hasMembers()) {
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
