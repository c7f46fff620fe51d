package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisFailure;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.waiting.Answer;
import dev.holdfast.lock.internal.waiting.GrantSource;
import dev.holdfast.lock.internal.waiting.Waiter;
import dev.holdfast.lock.redis.Questions.Leftovers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Gives out the grants of one lock to those who wait for it here, and sees to it that nothing stays in Redis of what nobody could use. */
final class GrantDesk implements GrantSource, Leftovers {

    /** A grant that has more than so many times the next holder's lease left is not passed on to it. */
    private static final int LONGEST_SHARE = 2;

    /** A grant whose last confirmation is older than that is confirmed before it is passed on: Redis may have lost it since. */
    private static final long CONFIRMED_JUST_NOW = TimeUnit.MILLISECONDS.toNanos(20);

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
        parts.events().takenBack(lockName, kind(), owner, failure);
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
        if (longEnough && terms.minHoldNanos() == 0 && now - grant.confirmedAt() < CONFIRMED_JUST_NOW) {
            return CompletableFuture.completedFuture(true);
        }
        return keeper.extend(grant, wanted, terms.ttlMillis()).exceptionally(failure -> {
            throw RedisFailures.unavailable(lockName, failure);
        });
    }

    @Override
    public HeldLease hold(Grant grant, Waiter waiter, boolean passedOn) {
        long now = parts.ticker().now();
        long startedAt = passedOn ? now : grant.grantedAt();
        HeldLease lease = parts.watchdog().hold(grant, waiter.terms(), startedAt, keeper);
        parts.heldGrants().add(lease, waiter.beside());
        // A grant that nobody has held yet was passed over a waiter who left, not taken over.
        boolean takenOver = passedOn && !FencingTokens.isFirst(lease.fencingToken());
        parts.events().acquired(lease, now - waiter.since(), takenOver);
        return lease;
    }

    @Override
    public void giveBack(Grant grant) {
        handBack.deliver(grant, parts.ticker().now());
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
    public String lockName() {
        return lockName;
    }

    @Override
    public LockKind kind() {
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
    boolean isUpgrade() {
        return otherSide.isUpgrade();
    }

    void refuseUpgrade() {
        otherSide.refuseUpgrade(lockName);
    }
}
