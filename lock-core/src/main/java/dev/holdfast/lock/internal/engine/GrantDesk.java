package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.RedisFailures;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Gives out the grants of one lock to those who wait for it here, and sees to it that nothing stays in Redis of what nobody could use. */
public final class GrantDesk {

    /** A grant that has more than so many times the next holder's lease left is not passed on to it. */
    private static final int LONGEST_SHARE = 2;

    /** A grant whose last confirmation is older than that is confirmed before it is passed on: Redis may have lost it since. */
    private static final long CONFIRMED_JUST_NOW = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long ENOUGH_TO_RENEW = TimeUnit.SECONDS.toNanos(1);

    private final String lockName;
    private final String key;
    private final RedisKind kind;
    private final ClientParts parts;
    private final Questions questions;
    private final OtherSide otherSide;
    private final HandBack handBack;
    private final GrantKeeper keeper;

    GrantDesk(String lockName, String key, RedisKind kind, ClientParts parts) {
        this.lockName = lockName;
        this.key = key;
        this.kind = kind;
        this.parts = parts;
        this.questions = new Questions(lockName, key, kind, parts);
        this.otherSide = new OtherSide(kind.kind(), key, parts.holds());
        this.handBack = new HandBack(key, kind, otherSide, parts);
        this.keeper = new GrantKeeper(lockName, key, kind, handBack, parts);
    }

    /** Lets a waiter into the lock's waiting room, or into one of its own where each waiter has a place in Redis. */
    void letIn(Waiter waiter) {
        if (kind.isQueued()) {
            parts.rooms().enterAlone(roomKey(), place(), waiter);
        } else {
            parts.rooms().enter(roomKey(waiter), this::place, waiter);
        }
    }

    private GrantSource place() {
        return new LinePlace(key, kind, questions, this, parts);
    }

    /** A grant that a release elsewhere has made. */
    Grant grantByRelease(String owner, long token, long refusedAt, long leaseNanos, long now) {
        Grant grant = Grant.byRelease(lockName, key, owner, token, kind.tokens(), refusedAt, leaseNanos, now);
        parts.highestToken().accumulateAndGet(grant.lastToken(), Math::max);
        return grant;
    }

    /**
     * Makes a grant long enough for its next holder, and confirms it unless that was done just now: Redis may have lost it.
     *
     * @return false if the grant cannot be passed on; fails if Redis did not answer
     */
    CompletionStage<Boolean> fit(Grant grant, LeaseTerms terms) {
        long now = parts.ticker().now();
        long left = grant.validUntil() - now;
        long wanted = terms.leaseNanos();
        boolean longEnough = terms.renewed()
                // The watchdog renews it at once if little is left.
                ? left > Math.min(wanted / 2, ENOUGH_TO_RENEW)
                : left >= wanted - wanted / 20;
        if (left > LONGEST_SHARE * wanted) {
            // It would outlive a holder that dies by much more than that holder's lease.
            return CompletableFuture.completedFuture(false);
        }
        if (longEnough && terms.minHoldNanos() == 0 && now - grant.confirmedAt() < CONFIRMED_JUST_NOW) {
            return CompletableFuture.completedFuture(true);
        }
        return keeper.extend(grant, wanted, terms.ttlMillis()).exceptionally(failure -> {
            throw RedisFailures.unavailable(lockName, failure);
        });
    }

    /** Makes the grant a waiter's lease. */
    HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        long now = parts.ticker().now();
        long startedAt = passedOn ? now : grant.grantedAt();
        HeldLease lease = parts.watchdog().hold(grant, waiter.terms(), startedAt, keeper);
        parts.heldGrants().add(lease, waiter.beside());
        // A grant that nobody has held yet was passed over a waiter who left, not taken over.
        boolean takenOver = passedOn && !FencingTokens.isFirst(lease.fencingToken());
        parts.events().acquired(lease, now - waiter.since(), takenOver);
        return lease;
    }

    /** Releases a grant that nobody holds. */
    void giveBack(Grant grant) {
        handBack.deliver(grant, parts.ticker().now());
    }

    LockProtocol protocol() {
        return kind.protocol();
    }

    String lockName() {
        return lockName;
    }

    LockKind kind() {
        return kind.kind();
    }

    String key() {
        return key;
    }

    String roomKey() {
        return kind.roomKey(key);
    }

    /** A reader that is the writer's own thread waits for nobody: behind other readers it would wait for those who wait for it. */
    String roomKey(Waiter waiter) {
        return waiter.beside() == null ? roomKey() : roomKey() + ':' + waiter.beside();
    }

    /** What the present thread has of the lock before it asks. Only for one that does nothing else until it is answered. */
    @Nullable
    String beside() {
        return otherSide.writer();
    }

    /** Whether the current thread only reads and asks to write. */
    public boolean isUpgrade() {
        return otherSide.isUpgrade();
    }

    public void refuseUpgrade() {
        otherSide.refuseUpgrade(lockName);
    }
}
