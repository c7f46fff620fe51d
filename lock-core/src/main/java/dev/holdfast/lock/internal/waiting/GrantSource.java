package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Grant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The source of one room's grants: its place in the lock's line. Used by one thread at a time. */
public interface GrantSource {

    /**
     * Sets the receiver of signals. A signal says that asking may help now, or that a release has made a grant. Where one came before, it is
     * repeated at once.
     */
    void onSignal(Runnable signal);

    /**
     * Asks for the lock once. Never fails: what goes wrong is an {@link Answer.Unknown}, and what an unknown outcome may have left behind is
     * given up together with the place.
     */
    CompletionStage<Answer> ask(Waiter waiter);

    /** Asks for one more of several who may have the lock at once, beside other such questions. Takes no place in line. */
    CompletionStage<Answer> askAside(Waiter waiter);

    /** The grant that a release elsewhere has made since the last question, if it is known to be valid. */
    Optional<Grant> takeGrant();

    /** Whether releases elsewhere know that this room waits. */
    boolean isInQueue();

    /**
     * Makes sure that the room hears of the release that it waits for.
     *
     * @param refusal the answer to the last question
     * @return null if it heard of them when it asked; else completes when it hears of all from then on, or fails if Redis refuses that
     */
    @Nullable
    CompletionStage<Void> listen(Answer.Busy refusal);

    /** Whether it hears of releases at present, as far as it knows. */
    boolean isSubscribed();

    /** Nobody waits any more: gives up the place in line, and what an unanswered question may bring. */
    void leaveQueue();

    /** The room has ended. */
    void close();
}
