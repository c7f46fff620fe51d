package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Where a room's grants come from and go back to: one kind of lock, under one name. */
public interface GrantSource {

    /** The lock as its askers call it. */
    String lockName();

    /** The lock's kind. */
    LockKind kind();

    /**
     * Asks for the lock once. Never fails: what goes wrong is an {@link Answer.Unknown}, and whatever an unknown outcome may have left behind
     * is taken back.
     */
    CompletionStage<Answer> ask(Waiter waiter);

    /** Whether several may have it at once, each by a grant that only its asker can hold. */
    default boolean isShared() {
        return false;
    }

    /** Hears that a waiter has left without a lease: refused, or gone of its own accord. */
    default void leftEmptyHanded(Waiter waiter) {}

    /**
     * Makes a grant that is passed on long enough for its next holder, and confirms it unless that was done just now: Redis may have lost it.
     *
     * @return false if the grant cannot be passed on; fails if Redis did not answer
     */
    CompletionStage<Boolean> fit(Grant grant, LeaseTerms terms);

    /** Makes the grant a waiter's lease, kept from now on; listeners hear of it before the waiter does, so before its release. */
    HeldLease hold(Grant grant, Waiter waiter, boolean passedOn);

    /** Gives up a grant that nobody wants. */
    void giveBack(Grant grant);

    /** What waiters are told whose client closes. */
    RuntimeException closed();

    /** Where releases are announced that a waiter waits for. */
    List<String> channels();

    /** How long whoever waits here may be silent, whatever the poll interval is. */
    default long longestSleepNanos() {
        return Long.MAX_VALUE;
    }
}
