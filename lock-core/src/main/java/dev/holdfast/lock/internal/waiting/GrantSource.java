package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Where one room's grants come from and go back to: one kind of lock, under one name. Used behind the room's {@link Mailbox}. */
public interface GrantSource {

    /** The lock as its callers call it. */
    String lockName();

    /** The lock's kind. */
    LockKind kind();

    /** Called once, before the first question. The signal says that asking may help now, or that a release has made a grant. */
    void open(Runnable onSignal);

    /**
     * Asks for the lock once. Never fails: what goes wrong is an {@link Answer.Unknown}, and what an unknown outcome may have left behind is
     * given up together with the place.
     */
    CompletionStage<Answer> ask(Waiter waiter);

    /** Asks for one more of several who may have the lock at once, beside other such questions. Takes no place in line. */
    default CompletionStage<Answer> askAside(Waiter waiter) {
        return ask(waiter);
    }

    /** The grant that a release elsewhere has made since the last question, if it is known to be valid. */
    default Optional<Grant> takeGrant() {
        return Optional.empty();
    }

    /** Whether releases elsewhere know that this room waits. */
    boolean isInLine();

    /** Whether several may have it at once, each by a grant that only its asker can hold. */
    default boolean isShared() {
        return false;
    }

    /**
     * Makes sure that the room hears of the release that it waits for.
     *
     * @param refusal the answer to the last question
     * @return null if it heard of them when it asked; else completes when it hears of all from then on, or fails if Redis refuses that
     */
    @Nullable
    CompletionStage<Void> listen(Answer.Busy refusal);

    /** Whether ending the room now, and soon opening another, would subscribe again. */
    boolean isListening();

    /** Nobody waits any more: gives up the place in line, and what an unanswered question may bring. */
    void leaveLine();

    /** The room has ended. */
    void close();

    /**
     * Makes a grant long enough for its next holder, and confirms it unless that was done just now: Redis may have lost it.
     *
     * @return false if the grant cannot be passed on; fails if Redis did not answer
     */
    CompletionStage<Boolean> fit(Grant grant, LeaseTerms terms);

    /** Makes the grant a waiter's lease, kept from now on; listeners hear of it before the waiter does, so before its release. */
    HeldLease hold(Grant grant, Waiter waiter, boolean passedOn);

    /** Gives up a grant that nobody wants. */
    void giveBack(Grant grant);

    /** The answer to waiters whose client closes. */
    RuntimeException closed();
}
