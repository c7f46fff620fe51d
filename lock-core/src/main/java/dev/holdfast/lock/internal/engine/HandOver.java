package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LockId;
import dev.holdfast.lock.internal.protocol.FencingTokens;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The rule for handing over a lock in memory. It decides whether a waiter gets a grant that it did not ask for.
 *
 * <ul>
 *   <li>A grant is handed over only for a short time after its tokens were drawn. Later, Redis may have lost the grant and granted the lock to
 *       another client with a greater token. A renewal would not show this: while two masters serve, the old master confirms a grant that the new
 *       master has forgotten.
 *   <li>A grant is handed over only as often as it has tokens, and only if its tokens are above the minimum that was set. It is not handed over while
 *       clients of Redisson wait.
 *   <li>A grant is not handed over if its holder has written under it. Redis checks the owner and the grant of such writes, and so would take a late one
 *       for one of the next holder.
 *   <li>A grant is handed over only if its lease has about the length that the waiter wants.
 * </ul>
 */
final class HandOver {

    /**
     * The age of a grant at which a waiter of the holder's own client sends a request. The waiter's place in the queue is therefore no younger than
     * that.
     */
    private static final long LATEST_REQUEST = ClientSettings.USUAL_HAND_OVER.toNanos();

    private static final int NOTED_LOCKS = 1024;

    private static final long ENOUGH_TO_RENEW = TimeUnit.SECONDS.toNanos(1);

    private final ClientSettings settings;
    private final ThreadHolds<HeldLease> holds;
    private final FencingTokens tokens;
    /**
     * The hash codes of the locks for which clients of Redisson wait, each at an index that follows from the hash code; 0 stands for none. Such a
     * lock is not handed over. Otherwise, Redisson's clients would have to wait for all local hand-overs. The number of locks is fixed, so that names
     * that are used only once do not fill the memory. A lock that is displaced by another one may be handed over until its next release in Redis.
     */
    private final AtomicIntegerArray redissonWaits = new AtomicIntegerArray(NOTED_LOCKS);

    HandOver(ClientSettings settings, ThreadHolds<HeldLease> holds, FencingTokens tokens) {
        this.settings = settings;
        this.holds = holds;
        this.tokens = tokens;
    }

    /** Called when Redis has executed a release. Its answer shows whether clients of Redisson wait. */
    void released(LockId lock, ReleaseResult result) {
        int hash = hash(lock.key());
        if (result.heard() > 0) {
            redissonWaits.set(at(hash), hash);
        } else if (redissonWaits(lock.key())) {
            redissonWaits.set(at(hash), 0);
        }
    }

    /** Returns how long a waiter need not ask, because a holder of this client has the grant and its release is handed over. */
    long heldHereNanos(LockId lock, Grant held) {
        return Math.max(0, Math.min(longestNanos(lock), LATEST_REQUEST) - age(held));
    }

    private long longestNanos(LockId lock) {
        return redissonWaits(lock.key()) ? 0 : settings.handOverNanos();
    }

    /** Returns the longest time that can have passed since the tokens of a grant were drawn. */
    private long age(Grant grant) {
        return settings.ticker().now() - grant.grantedAt();
    }

    /** Returns whether a released lease is offered to waiters of this client. During a minimum hold, nobody gets the lock. */
    boolean isOffered(LockId lock, HeldLease released, long now) {
        return released.minHoldEnd() - now <= 0 && !ReadWriteHolds.goesOnReading(holds, lock, released);
    }

    boolean fits(LockId lock, Grant grant, Waiter next) {
        LeaseTerms terms = next.terms();
        boolean isYoung = grant.hasBeenHeld()
                ? age(grant) < longestNanos(lock)
                        && grant.hasToken()
                        && !grant.hasBeenWrittenUnder()
                        && tokens.allows(grant)
                : next.since() - grant.grantedAt() <= longestNanos(lock);
        return isYoung && !terms.isTooLong(left(grant)) && isLongEnough(grant, terms);
    }

    private long left(Grant grant) {
        return grant.validUntil() - settings.ticker().now();
    }

    private boolean isLongEnough(Grant grant, LeaseTerms terms) {
        long wanted = terms.leaseNanos();
        long least = terms.renewed()
                // The watchdog renews the lease at once if little of it is left.
                ? Math.min(wanted / 2, ENOUGH_TO_RENEW)
                : wanted - wanted / 20 - 1;
        return terms.minHoldNanos() == 0 && left(grant) > least;
    }

    private boolean redissonWaits(String key) {
        int hash = hash(key);
        return redissonWaits.get(at(hash)) == hash;
    }

    private static int hash(String key) {
        return key.hashCode() | 1;
    }

    private static int at(int hash) {
        return (hash >>> 1) % NOTED_LOCKS;
    }
}
