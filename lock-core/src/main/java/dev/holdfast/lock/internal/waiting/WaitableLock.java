package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import java.util.concurrent.CompletionStage;

/** One lock as its waiters need it: opens sources of grants, and makes grants into leases. */
public interface WaitableLock {

    /** The lock, as its callers call it. */
    String lockName();

    /** The lock's kind. */
    LockKind kind();

    /**
     * For how long from now a question would tell nothing new: a holder of this client has the lock, and passes it on to those who wait here. 0 if none
     * has it.
     */
    long heldHereNanos();

    /** A source for one room. */
    GrantSource open();

    /** Whether a released grant may be the next holder's as it is: its tokens were drawn just now, and its lease is about what that holder wants. */
    boolean mayHandOver(Grant grant, LeaseTerms next);

    /**
     * Makes a grant that nobody has held long enough for a waiter.
     *
     * @return false if the waiter cannot have it, because it came after the grant or wants a much shorter lease; fails if Redis did not answer
     */
    CompletionStage<Boolean> adaptLease(Grant grant, Waiter next);

    /** Makes the grant a waiter's lease, kept from now on; listeners hear of it before the waiter does, so before its release. */
    HeldLease hold(Grant grant, Waiter waiter, boolean passedOn);

    /** Gives up a grant that nobody wants. */
    void giveBack(Grant grant);

    /** A waiter left without the lock: it was busy to the end. */
    void timedOut(Waiter waiter);

    /** A waiter left without the lock: nobody knows whether it is free. */
    void unavailable(Waiter waiter, Throwable problem);

    /** By how much a call may take longer than its wait: Redis answers within that time, or the client gives up. */
    long longestAnswerNanos();

    /** The answer to waiters whose question has no answer by then. */
    RuntimeException unanswered();

    /** The answer to waiters whose client closes. */
    RuntimeException closed();
}
