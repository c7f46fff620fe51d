package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.waiting.WaitableLock.Fit;
import dev.holdfast.lock.internal.waiting.Waiter;
import java.util.concurrent.TimeUnit;

/**
 * The rule for handing over a lock in memory: which grant goes to a waiter that did not ask for it.
 *
 * <ul>
 *   <li>Only for a moment after its tokens were drawn. Later, Redis may have lost the grant and granted the lock to another client with a greater
 *       token. A renewal would not help: while two masters serve, the old one confirms what the new one has forgotten.
 *   <li>Only as often as it has tokens, and only if they are above the minimum that was set. Not beside waiting clients of Redisson.
 *   <li>Only with about the lease that the waiter wants. A grant that nobody has held may be made longer; one that was held is released instead.
 * </ul>
 */
final class HandOver {

    /** A grant that has more than so many times the next holder's lease left is not handed over to it. */
    private static final int LONGEST_FRACTION = 2;

    /** A waiter of the holder's own client asks when the grant is that old: its place in the queue is no younger than that. */
    private static final long LATEST_REQUEST = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long ENOUGH_TO_RENEW = TimeUnit.SECONDS.toNanos(1);

    private final ClientSession client;

    HandOver(ClientSession client) {
        this.client = client;
    }

    /** For how long a waiter need not ask: a holder of this client has the lock, and its release is handed over. */
    long heldHereNanos(LockEngine lock) {
        if (!lock.handsOver() || lock.traits().isCounted()) {
            return 0;
        }
        Grant grant = client.leasesByKey.held(lock.id);
        return grant == null ? 0 : Math.max(0, Math.min(longestNanos(lock), LATEST_REQUEST) - age(grant));
    }

    private long longestNanos(LockEngine lock) {
        return client.redissonWaiters.waitFor(lock.key()) ? 0 : client.settings.handOverNanos();
    }

    /** How long ago its tokens were drawn at most. */
    private long age(Grant grant) {
        return client.ticker.now() - grant.grantedAt();
    }

    /** Whether a released lease is offered to those who wait here. A minimum hold keeps the lock from everybody. */
    boolean isOffered(LockEngine lock, HeldLease released, long now) {
        return lock.handsOver() && released.minHoldEnd() - now <= 0 && !ReadWriteHolds.goesOnReading(lock, released);
    }

    Fit fit(LockEngine lock, Grant grant, Waiter next) {
        LeaseTerms terms = next.terms();
        if (isTooLong(grant, terms)) {
            return Fit.NOT;
        }
        if (grant.hasBeenHeld()) {
            boolean mayGo = age(grant) < longestNanos(lock)
                    && grant.hasToken()
                    && client.tokenMinimum.allows(grant)
                    && isLongEnough(grant, terms);
            return mayGo ? Fit.AS_IT_IS : Fit.NOT;
        }
        boolean drawnBefore = next.since() - grant.grantedAt() > longestNanos(lock);
        return drawnBefore ? Fit.NOT : isLongEnough(grant, terms) ? Fit.AS_IT_IS : Fit.TOO_SHORT;
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
        return left(grant) > LONGEST_FRACTION * terms.leaseNanos();
    }
}
