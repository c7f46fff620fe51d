package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import java.util.concurrent.CompletionStage;

/** The operations of one lock that its waiters need. It opens places in its queue, and creates leases from grants. */
public interface WaitableLock {

    /** Returns the name of the lock, as its callers gave it. */
    String lockName();

    /** Returns the lock's kind. */
    LockKind kind();

    /** Returns the traits of the kind. */
    KindTraits traits();

    /**
     * Returns how long a request is not useful, because a holder of this client has the lock and will hand it over to a waiter of this client.
     * Returns 0 if there is no such holder.
     */
    long heldHereNanos();

    /** Opens the place of one room. */
    LockPlace open(LockPlace.Room room);

    /** Whether a grant fits a waiter that did not ask for it. */
    enum Fit {
        AS_IT_IS,
        /** The grant has had no holder and must be extended first. */
        TOO_SHORT,
        NOT
    }

    /** Applies the rule for handing over a lock. */
    Fit fit(Grant grant, Waiter next);

    /**
     * Extends a grant that has had no holder, so that it is long enough for a waiter.
     *
     * @return a stage with false if Redis no longer has the grant. If Redis did not answer, the stage fails with the exception for the caller
     */
    CompletionStage<Boolean> lengthen(Grant grant, Waiter next);

    /**
     * Creates a waiter's lease from a grant and keeps it from now on. Listeners are notified before the waiter, and so before the release of the
     * lease.
     */
    HeldLease hold(Grant grant, Waiter waiter, boolean handedOver);

    /** Gives up a grant that nobody wants. */
    void giveBack(Grant grant);

    /** Returns by how much a call may exceed its wait. Within this time, Redis answers or the client gives up. */
    long longestAnswerNanos();

    /** Returns the exception for waiters whose request is not answered within this time. */
    RuntimeException unanswered();

    /** Returns the exception for waiters whose client closes. */
    RuntimeException closed();
}
