package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseKeeper;
import dev.holdfast.lock.internal.lease.Renewals;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Does in Redis what the leases of one lock ask for. */
final class GrantKeeper implements LeaseKeeper {

    private static final long SHORTEST_MILLIS = AcquireOptions.MIN_LEASE.toMillis();

    private final String lockName;
    private final String key;
    private final RedisKind kind;
    private final HandBack handBack;
    private final ClientParts parts;

    GrantKeeper(String lockName, String key, RedisKind kind, HandBack handBack, ClientParts parts) {
        this.lockName = lockName;
        this.key = key;
        this.kind = kind;
        this.handBack = handBack;
        this.parts = parts;
    }

    @Override
    public void release(HeldLease lease, CompletableFuture<Boolean> freed) {
        parts.heldGrants().remove(lease);
        handBack.release(lease, freed);
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        parts.heldGrants().remove(lease);
        parts.rooms().askAgain(kind.roomKey(key));
        if (cause == LossCause.GONE && !kind.protocol().hasParts()) {
            return;
        }
        // The validity ended a drift allowance before the lease did; until then the lock is still its late holder's.
        boolean byClock = cause != LossCause.CLOSED && cause != LossCause.MAX_HOLD && cause != LossCause.GONE;
        long rest = byClock ? lease.terms().leaseNanos() / 20 : 0;
        if (rest == 0) {
            handBack.deliver(lease.grant(), lease.minHoldEnd());
        } else {
            parts.timer().after(rest, () -> handBack.deliver(lease.grant(), lease.minHoldEnd()));
        }
    }

    @Override
    public CompletionStage<Boolean> verify(HeldLease lease) {
        // An extension by less than is left changes nothing and asks all there is to ask.
        return kind.protocol().extend(lease.grant(), SHORTEST_MILLIS);
    }

    @Override
    public CompletionStage<Boolean> extend(HeldLease lease, Duration length) {
        return extend(lease.grant(), length.toNanos(), lease.terms().ttlMillis());
    }

    /** Asks for no less than what is left: what the grant relies on afterward must be what Redis was told, even if the key was cut meanwhile. */
    CompletionStage<Boolean> extend(Grant grant, long leaseNanos, long ttlMillis) {
        long sentAt = parts.ticker().now();
        // Rounded up to what Redis can be told.
        long askedMillis = TimeUnit.NANOSECONDS.toMillis(Math.max(leaseNanos, grant.endsAt() - sentAt) + 999_999);
        long asked = TimeUnit.MILLISECONDS.toNanos(askedMillis);
        return kind.protocol()
                .extend(grant, Math.max(askedMillis, ttlMillis))
                .thenApply(mine ->
                        mine && grant.confirm(sentAt, asked, parts.ticker().now()));
    }

    @Override
    public <T> T await(CompletionStage<T> answer) {
        try {
            return answer.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw RedisFailures.unavailable(lockName, e);
        }
    }

    @Override
    public LockKind kind() {
        return kind.kind();
    }

    @Override
    public Renewals renewals() {
        return kind.renewals();
    }

    @Override
    public Duration releasePatience() {
        return parts.settings().connection().commandTimeout();
    }
}
