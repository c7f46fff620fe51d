package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.protocol.RedisKind;
import java.util.concurrent.CompletableFuture;

/** Where a lock goes that its holder gives back: to the next who waits here, or to Redis, so that other clients have their share. */
final class HandBack {

    private final String key;
    private final RedisKind kind;
    private final OtherSide otherSide;
    private final ClientParts parts;

    HandBack(String key, RedisKind kind, OtherSide otherSide, ClientParts parts) {
        this.key = key;
        this.kind = kind;
        this.otherSide = otherSide;
        this.parts = parts;
    }

    /**
     * Takes a released lease's grant back.
     *
     * @param freed completed with whether the lock was the holder's to the end
     */
    void release(HeldLease lease, CompletableFuture<Boolean> freed) {
        Grant grant = lease.grant();
        long now = parts.ticker().now();
        boolean freeAtOnce = lease.minHoldEnd() - now <= 0;
        boolean nobodyWaits = parts.closed().get() || parts.rooms().waiters(roomKey()) == 0;
        if (nobodyWaits || kind.isShared()) {
            settle(deliver(grant, lease.minHoldEnd()), freed);
        } else if (!freeAtOnce || otherSide.goesOnReading(lease)) {
            releaseForAll(grant, lease.minHoldEnd(), freed);
        } else if (mayBePassedOn(grant, now)) {
            parts.rooms().pass(roomKey(), grant, passed -> {
                if (passed) {
                    lease.handOver();
                    freed.complete(true);
                } else {
                    releaseForAll(grant, now, freed);
                }
            });
        } else {
            releaseForAll(grant, now, freed);
        }
    }

    private void releaseForAll(Grant grant, long keepUntil, CompletableFuture<Boolean> freed) {
        settle(deliver(grant, keepUntil), freed);
        // Behind the release on its connection: this client's place is behind those that wait. It may have none yet.
        parts.rooms().askAgain(roomKey());
    }

    private static void settle(CompletableFuture<Boolean> delivered, CompletableFuture<Boolean> freed) {
        delivered.whenComplete((wasOwner, failure) -> {
            if (failure == null) {
                freed.complete(wasOwner);
            } else {
                freed.completeExceptionally(failure);
            }
        });
    }

    private boolean mayBePassedOn(Grant grant, long now) {
        return kind.passesOn()
                && grant.hasToken()
                && parts.tokenFloor().allows(grant)
                && now - grant.grantedAt() < parts.settings().waiting().handOffNanos()
                && grant.validUntil() - now > 0;
    }

    /** Frees the lock in Redis, which keeps it from everybody until the given moment. */
    CompletableFuture<Boolean> deliver(Grant grant, long keepUntil) {
        long now = parts.ticker().now();
        long leaseEnd = now + Math.max(grant.leaseNanos(), keepUntil - now);
        return parts.releases().deliver(kind.protocol(), key, grant.owner(), keepUntil, leaseEnd);
    }

    private String roomKey() {
        return kind.roomKey(key);
    }
}
