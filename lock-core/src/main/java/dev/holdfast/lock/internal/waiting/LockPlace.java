package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Grant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A room's place in the queue of its lock, from which its grants come. Used by one thread at a time. */
public interface LockPlace {

    /**
     * Requests the lock once. The room gets the answer, which is an {@link Answer.Unknown} for any failure. If such a request left something in
     * Redis, it is given up together with the place.
     */
    void ask(Waiter waiter);

    /** Sends a request beside other requests, for a lock that several waiters may share. It takes no place in the queue. */
    void askAside(Waiter waiter);

    /**
     * Returns the grant that a release elsewhere has made since the last request, if the grant is known to be valid and fits the waiter. Otherwise,
     * the next request finds it, and prolongs it.
     */
    Optional<Grant> takeGrant(Waiter next);

    /** Returns whether releases elsewhere know that this room waits. */
    boolean isInQueue();

    /**
     * Ensures that the room is notified of the release that it waits for.
     *
     * @param refusal the answer to the last request
     * @return null if the room was already subscribed when it sent its last request; otherwise, a stage that completes when messages arrive, or fails
     *     if Redis refuses the subscription
     */
    @Nullable
    CompletionStage<Void> listen(Answer.Busy refusal);

    /** Returns whether messages about releases arrive at present, as far as this client knows. */
    boolean isSubscribed();

    /** Called when nobody waits any more. Gives up the place in the queue, and any grant that an unanswered request may bring. */
    void leaveQueue();

    /** Called when the room has ended. */
    void close();
}
