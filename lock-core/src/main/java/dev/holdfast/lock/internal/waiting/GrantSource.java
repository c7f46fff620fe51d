package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Grant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The source of one room's grants: its place in the lock's queue. Used by one thread at a time. */
public interface GrantSource {

    /** Receives what comes from a source, on any thread. */
    interface Receiver {

        /** The answer to a request for that waiter. */
        void answered(Waiter waiter, Answer answer);

        /** Asking may help now, or a release has made a grant. */
        void signaled();
    }

    /**
     * Asks for the lock once; the receiver gets the answer. What goes wrong is an {@link Answer.Unknown}, and what an unknown outcome may have
     * left behind is given up together with the place.
     */
    void ask(Waiter waiter);

    /** Asks for one more of several who may have the lock at once, beside other such requests. Takes no place in the queue. */
    void askAside(Waiter waiter);

    /** The grant that a release elsewhere has made since the last request, if it is known to be valid. */
    Optional<Grant> takeGrant();

    /** Whether releases elsewhere know that this room waits. */
    boolean isInQueue();

    /**
     * Makes sure that the room hears of the release that it waits for.
     *
     * @param refusal the answer to the last request
     * @return null if it heard of them when it asked; else completes when it hears of all from then on, or fails if Redis refuses that
     */
    @Nullable
    CompletionStage<Void> listen(Answer.Busy refusal);

    /** Whether it hears of releases at present, as far as it knows. */
    boolean isSubscribed();

    /** Nobody waits any more: gives up the place in the queue, and what an unanswered request may bring. */
    void leaveQueue();

    /** The room has ended. */
    void close();
}
