package dev.holdfast.lock.redis;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.connection.RedisFailure;
import dev.holdfast.lock.lease.Grant;
import dev.holdfast.lock.lease.HeldLease;
import dev.holdfast.lock.lease.LeaseKeeper;
import dev.holdfast.lock.lease.LeaseTerms;
import dev.holdfast.lock.lease.Renewals;
import dev.holdfast.lock.redis.LockProtocol.Released;
import dev.holdfast.lock.redis.Questions.Leftovers;
import dev.holdfast.lock.waiting.Answer;
import dev.holdfast.lock.waiting.GrantSource;
import dev.holdfast.lock.waiting.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives out and takes back the grants of one lock: asks Redis through the kind's protocol, passes a grant on between local holders, and sees
 * to it that nothing stays behind in Redis that nobody holds.
 */
final class GrantDesk implements GrantSource, Leftovers, LeaseKeeper {

    private static final long SHORTEST_MILLIS = AcquireOptions.MIN_LEASE.toMillis();

    /** A grant that has more than so many times the next holder's lease left is not passed on to it. */
    private static final int LONGEST_SHARE = 2;

    private final String lockName;
    private final String key;
    private final RedisKind kind;
    private final ClientParts parts;
    private final Questions questions;
    private final OtherSide otherSide;

    GrantDesk(String lockName, String key, RedisKind kind, ClientParts parts) {
        this.lockName = lockName;
        this.key = key;
        this.kind = kind;
        this.parts = parts;
        this.questions = new Questions(lockName, key, kind, parts);
        this.otherSide = new OtherSide(kind.kind(), key, parts.holds());
    }

    /** Lets a waiter into the lock's waiting room, or into one of its own where each has a place in Redis. */
    void letIn(Waiter waiter) {
        if (kind.isQueued()) {
            String owner = parts.owners().next(waiter.terms().thread());
            parts.rooms()
                    .enterAlone(roomKey(), new FairPlace(key, owner, kind.protocol(), questions, this, parts), waiter);
        } else {
            parts.rooms().enter(roomKey(waiter), this, waiter);
        }
    }

    @Override
    public CompletionStage<Answer> ask(Waiter waiter) {
        return questions.ask(parts.owners().next(waiter.terms().thread()), waiter, this);
    }

    @Override
    public void mayComeLate(String owner, RedisFailure failure, long leaseEnd, long interruptionsBefore) {
        parts.announcer().takenBack(lockName, kind(), owner, failure);
        parts.releases().takeBack(kind.protocol(), key, owner, leaseEnd, interruptionsBefore);
    }

    @Override
    public CompletionStage<Boolean> fit(Grant grant, LeaseTerms terms) {
        long now = parts.ticker().now();
        long left = grant.validUntil() - now;
        long wanted = terms.leaseNanos();
        boolean longEnough = terms.renewed()
                // The watchdog comes by within a third of the lease.
                ? grant.leaseNanos() >= wanted && left > wanted / 2
                : left >= wanted - wanted / 20;
        if (left > LONGEST_SHARE * wanted) {
            // It would outlive a holder that dies by much more than that holder's lease.
            return CompletableFuture.completedFuture(false);
        }
        if (longEnough && terms.minHoldNanos() == 0) {
            return CompletableFuture.completedFuture(true);
        }
        return extend(grant, wanted, terms.ttlMillis());
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        long now = parts.ticker().now();
        long startedAt = passedOn ? now : grant.grantedAt();
        HeldLease lease = parts.watchdog().hold(grant, waiter.terms(), startedAt, this);
        // A grant that nobody has held yet was passed over a waiter who left, not taken over.
        boolean takenOver = passedOn && !FencingTokens.isFirst(lease.fencingToken());
        parts.announcer().acquired(lease, now - waiter.since(), takenOver);
        return lease;
    }

    @Override
    public void giveBack(Grant grant) {
        deliver(grant, parts.ticker().now());
    }

    @Override
    public boolean isShared() {
        return kind.isShared();
    }

    @Override
    public void leftEmptyHanded(Waiter waiter) {
        if (waiter.waits() && parts.rooms().waiters(roomKey()) == 0) {
            kind.protocol().nobodyWaits(key);
        }
    }

    @Override
    public RuntimeException closed() {
        return RedisFailures.closed(lockName);
    }

    @Override
    public List<String> channels() {
        return kind.protocol().channels(key);
    }

    @Override
    public void release(HeldLease lease, CompletableFuture<Boolean> freed) {
        Grant grant = lease.grant();
        long now = parts.ticker().now();
        boolean freeAtOnce = lease.minHoldEnd() - now <= 0;
        boolean nobodyWaits = parts.closed().get() || parts.rooms().waiters(roomKey()) == 0;
        if (!freeAtOnce || nobodyWaits || kind.isShared() || otherSide.goesOnReading(lease)) {
            settle(deliver(grant, lease.minHoldEnd()), freed);
        } else if (mayBePassedOn(grant, now)) {
            parts.rooms().pass(roomKey(), grant, passed -> {
                if (passed) {
                    lease.handOver();
                    freed.complete(true);
                } else {
                    settle(deliver(grant, now), freed);
                }
            });
        } else {
            parts.rooms().standBack(roomKey());
            CompletableFuture<Released> delivered = deliver(grant, now);
            delivered.whenComplete(
                    (released, failure) -> parts.rooms().goOn(roomKey(), released == null ? 0 : released.listeners()));
            settle(delivered, freed);
        }
    }

    private static void settle(CompletableFuture<Released> delivered, CompletableFuture<Boolean> freed) {
        delivered.whenComplete((released, failure) -> {
            if (failure == null) {
                freed.complete(released.wasOwner());
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

    private CompletableFuture<Released> deliver(Grant grant, long keepUntil) {
        long now = parts.ticker().now();
        long leaseEnd = now + Math.max(grant.leaseNanos(), keepUntil - now);
        return parts.releases().deliver(kind.protocol(), key, grant.owner(), keepUntil, leaseEnd);
    }

    @Override
    public void lost(HeldLease lease, LossCause cause) {
        if (lease.terms().threadBound()) {
            parts.holds().forgetDead(roomKey(), lease.terms().thread());
        }
        if (cause == LossCause.GONE && !kind.protocol().hasParts()) {
            return;
        }
        // The validity ended a drift allowance before the lease did; until then the lock is still its late holder's.
        boolean byClock = cause != LossCause.CLOSED && cause != LossCause.MAX_HOLD && cause != LossCause.GONE;
        long rest = byClock ? lease.terms().leaseNanos() / 20 : 0;
        if (rest == 0) {
            deliver(lease.grant(), lease.minHoldEnd());
        } else {
            parts.timer().after(rest, () -> deliver(lease.grant(), lease.minHoldEnd()));
        }
    }

    @Override
    public CompletionStage<Boolean> verify(HeldLease lease) {
        // An extension by less than is left changes nothing and asks all there is to ask.
        return kind.protocol().extend(key, lease.grant().owner(), SHORTEST_MILLIS);
    }

    @Override
    public CompletionStage<Boolean> extend(HeldLease lease, Duration length) {
        return extend(lease.grant(), length.toNanos(), lease.terms().ttlMillis());
    }

    /** Asks for no less than the grant's lease: what is confirmed below must be what Redis was told. */
    private CompletionStage<Boolean> extend(Grant grant, long leaseNanos, long ttlMillis) {
        long sentAt = parts.ticker().now();
        long asked = Math.max(leaseNanos, grant.leaseNanos());
        long askedMillis = TimeUnit.NANOSECONDS.toMillis(asked);
        return kind.protocol()
                .extend(key, grant.owner(), Math.max(askedMillis, ttlMillis))
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

    void refuseUpgrade() {
        otherSide.refuseUpgrade(lockName);
    }
}
