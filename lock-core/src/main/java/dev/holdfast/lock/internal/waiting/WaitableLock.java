package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;

/** The operations of one lock that its waiters need. It opens places in its queue, and creates leases from grants. */
public interface WaitableLock {

    /** Returns the name of the lock, as its callers gave it. */
    String lockName();

    /** Returns the lock's kind. */
    LockKind kind();

    /**
     * Returns how long a request is not useful, because a holder of this client has the lock and will hand it over to a waiter of this client.
     * Returns 0 if there is no such holder.
     */
    long heldHereNanos();

    /** Opens the place of one room. */
    LockPlace open(Waiter.Entry room);

    /** Applies the rule for handing over a lock. Returns whether a waiter can have a grant that it did not ask for. */
    boolean fits(Grant grant, Waiter next);

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
