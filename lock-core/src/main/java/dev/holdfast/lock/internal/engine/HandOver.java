package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.protocol.LockProtocol.ReleaseResult;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.waiting.WaitableLock.Fit;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.concurrent.TimeUnit;

/**
 * The rule for handing over a lock in memory. It decides whether a waiter gets a grant that it did not ask for.
 *
 * <ul>
 *   <li>A grant is handed over only for a short time after its tokens were drawn. Later, Redis may have lost the grant and granted the lock to
 *       another client with a greater token. A renewal would not show this: while two masters serve, the old master confirms a grant that the new
 *       master has forgotten.
 *   <li>A grant is handed over only as often as it has tokens, and only if its tokens are above the minimum that was set. It is not handed over while
 *       clients of Redisson wait.
 *   <li>A grant is handed over only if its lease has about the length that the waiter wants. A grant that has had no holder may be extended; a grant
 *       that has had one is released instead.
 * </ul>
 */
final class HandOver {

    /** The limit for the rest of a grant's lease, as a multiple of the next holder's lease. A grant with a longer rest is not handed over. */
    private static final int LONGEST_FRACTION = 2;

    /**
     * The age of a grant at which a waiter of the holder's own client sends a request. The waiter's place in the queue is therefore no younger than
     * that.
     */
    private static final long LATEST_REQUEST = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long ENOUGH_TO_RENEW = TimeUnit.SECONDS.toNanos(1);

    private final ClientSettings settings;
    private final ThreadHolds<HeldLease> holds;
    private final LeasesByKey leases;
    private final TokenBounds bounds;
    private final RedissonWaiters redissonWaiters = new RedissonWaiters();

    HandOver(ClientSettings settings, ThreadHolds<HeldLease> holds, LeasesByKey leases, TokenBounds bounds) {
        this.settings = settings;
        this.holds = holds;
        this.leases = leases;
        this.bounds = bounds;
    }

    /** Returns the number of fencing tokens of a grant, one for each of its successive local holders. */
    int tokens(KindTraits traits) {
        return traits.isHandedOver() ? settings.handOvers() + 1 : 1;
    }

    /** Called when Redis has executed a release. Its answer shows whether clients of Redisson wait. */
    void released(LockEngine lock, ReleaseResult result) {
        if (result.wasOwner() && lock.handsOver()) {
            redissonWaiters.released(lock.key(), result.heard() > 0);
        }
    }

    /** Returns how long a waiter need not ask, because a holder of this client has the lock and its release is handed over. */
    long heldHereNanos(LockEngine lock) {
        if (!lock.handsOver() || lock.traits().isCounted()) {
            return 0;
        }
        Grant grant = leases.held(lock.id);
        return grant == null ? 0 : Math.max(0, Math.min(longestNanos(lock), LATEST_REQUEST) - age(grant));
    }

    private long longestNanos(LockEngine lock) {
        return redissonWaiters.waitFor(lock.key()) ? 0 : settings.handOverNanos();
    }

    /** Returns the longest time that can have passed since the tokens of a grant were drawn. */
    private long age(Grant grant) {
        return settings.ticker().now() - grant.grantedAt();
    }

    /** Returns whether a released lease is offered to waiters of this client. During a minimum hold, nobody gets the lock. */
    boolean isOffered(LockEngine lock, HeldLease released, long now) {
        return lock.handsOver()
                && released.minHoldEnd() - now <= 0
                && !ReadWriteHolds.goesOnReading(holds, lock, released);
    }

    Fit fit(LockEngine lock, Grant grant, Waiter next) {
        LeaseTerms terms = next.terms();
        if (isTooLong(grant, terms)) {
            return Fit.NOT;
        }
        if (grant.hasBeenHeld()) {
            boolean mayGo = age(grant) < longestNanos(lock)
                    && grant.hasToken()
                    && bounds.allows(grant)
                    && isLongEnough(grant, terms);
            return mayGo ? Fit.AS_IT_IS : Fit.NOT;
        }
        boolean drawnBefore = next.since() - grant.grantedAt() > longestNanos(lock);
        return drawnBefore ? Fit.NOT : isLongEnough(grant, terms) ? Fit.AS_IT_IS : Fit.TOO_SHORT;
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

    /** Returns whether the grant's lease is too long: after the death of the next holder, it would last much longer than that holder's own lease. */
    private boolean isTooLong(Grant grant, LeaseTerms terms) {
        return left(grant) > LONGEST_FRACTION * terms.leaseNanos();
    }
}
