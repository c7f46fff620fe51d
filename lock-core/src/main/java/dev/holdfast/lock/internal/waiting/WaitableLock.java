package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.KindTraits;
import java.util.concurrent.CompletionStage;

/** One lock as its waiters need it: opens sources of grants, and makes grants into leases. */
public interface WaitableLock {

    /** The lock, as its callers call it. */
    String lockName();

    /** The lock's kind. */
    LockKind kind();

    /** What the kind is to waiters. */
    KindTraits traits();

    /**
     * For how long from now a request would tell nothing new: a holder of this client has the lock, and hands it over to those who wait here. 0 if none
     * has it.
     */
    long heldHereNanos();

    /** A source for one room. */
    GrantSource open(GrantSource.Receiver room);

    /** Whether a grant can go to a waiter that did not ask for it. */
    enum Fit {
        AS_IT_IS,
        /** Nobody has held it, and it is to be made longer. */
        TOO_SHORT,
        NOT
    }

    /** The rule for handing over. */
    Fit fit(Grant grant, Waiter next);

    /**
     * Makes a grant that nobody has held long enough for a waiter.
     *
     * @return false if Redis no longer has it; fails if Redis did not answer, with what its caller is to be told
     */
    CompletionStage<Boolean> lengthen(Grant grant, Waiter next);

    /** Makes the grant a waiter's lease, kept from now on; listeners hear of it before the waiter does, so before its release. */
    HeldLease hold(Grant grant, Waiter waiter, boolean handedOver);

    /** Gives up a grant that nobody wants. */
    void giveBack(Grant grant);

    /** A waiter left without the lock: it was busy to the end. */
    void timedOut(Waiter waiter);

    /** A waiter left without the lock: nobody knows whether it is free. */
    void unavailable(Waiter waiter, Throwable problem);

    /** By how much a call may take longer than its wait: Redis answers within that time, or the client gives up. */
    long longestAnswerNanos();

    /** The answer to waiters whose request has no answer by then. */
    RuntimeException unanswered();

    /** The answer to waiters whose client closes. */
    RuntimeException closed();
}
