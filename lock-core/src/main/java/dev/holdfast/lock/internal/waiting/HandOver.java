package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * Passes a grant to the head of a room. It is made to fit the head first, which may take a round trip; where the head has gone by then, it is
 * made to fit the next one. Used behind the room's {@link Mailbox}.
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

    /** Passes on a grant that nobody has held yet. */
    void offer(Grant grant) {
        Waiter next = arrivals.head();
        if (next == null) {
            grants.giveBack(grant);
            return;
        }
        passTo(next, grant, given -> {
            if (!given) {
                grants.giveBack(grant);
                room.remember(true);
            }
        });
    }

    /**
     * Passes a grant on to a waiter, in memory if it was confirmed just now and its lease is long enough.
     *
     * @param outcome receives whether a waiter gets it, before that waiter does. If not, the grant is still the caller's to release
     */
    void passTo(Waiter next, Grant grant, Consumer<Boolean> outcome) {
        underWay = true;
        HeadQuestion.answered(() -> grants.fit(grant, next.terms()))
                .whenComplete((fits, failure) -> mailbox.post(() -> {
                    underWay = false;
                    fitted(next, grant, outcome, failure == null && fits);
                    if (failure != null) {
                        lastAnswer.refused(new Unknown(cause(failure), true));
                    }
                    room.decided();
                }));
    }

    private void fitted(Waiter next, Grant grant, Consumer<Boolean> outcome, boolean fits) {
        Waiter head = arrivals.head();
        if (!fits || head == null) {
            outcome.accept(false);
        } else if (head == next) {
            outcome.accept(true);
            lastAnswer.granted();
            room.give(next, grant, true);
        } else {
            passTo(head, grant, outcome);
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
