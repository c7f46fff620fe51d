package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.concurrent.CompletionException;

/**
 * Gives a grant that nobody has held to the head of a room, although it was not made for that waiter. It is made to fit first, which may take a round
 * trip. If the head has gone by then, the grant is made to fit the next one. Used behind the room's {@link Mailbox}.
 */
final class HandOver {

    private final WaitingRoom room;
    private final Grants grants;
    private final Arrivals arrivals;
    private final LastAnswer lastAnswer;
    private final Mailbox mailbox;
    private boolean underWay;

    HandOver(WaitingRoom room, Grants grants, Arrivals arrivals, LastAnswer lastAnswer, Mailbox mailbox) {
        this.room = room;
        this.grants = grants;
        this.arrivals = arrivals;
        this.lastAnswer = lastAnswer;
        this.mailbox = mailbox;
    }

    boolean isUnderWay() {
        return underWay;
    }

    void offer(Grant grant) {
        Waiter next = arrivals.head();
        if (next == null) {
            grants.giveBack(grant);
            return;
        }
        underWay = true;
        HeadQuestion.answered(() -> grants.fit(grant, next))
                .whenComplete((fits, failure) -> mailbox.post(() -> {
                    underWay = false;
                    fitted(next, grant, failure == null && fits);
                    if (failure != null) {
                        lastAnswer.refused(new Unknown(cause(failure), true));
                    }
                    room.decided();
                }));
    }

    private void fitted(Waiter next, Grant grant, boolean fits) {
        Waiter head = arrivals.head();
        if (!fits || head == null) {
            grants.giveBack(grant);
            room.remember(true);
        } else if (head == next) {
            lastAnswer.granted();
            room.give(next, grant, true);
        } else {
            offer(grant);
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
