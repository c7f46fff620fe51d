package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The one question that a room has on its way at a time, on behalf of its head, and what its answer brings. Used behind the room's
 * {@link Mailbox}.
 */
final class HeadQuestion {

    private final WaitingRoom room;
    private final Grants grants;
    private final GrantSource source;
    private final Arrivals arrivals;
    private final LastAnswer lastAnswer;
    private final HandOver handOver;
    private final Mailbox mailbox;
    private boolean underWay;

    HeadQuestion(
            WaitingRoom room,
            Grants grants,
            GrantSource source,
            Arrivals arrivals,
            LastAnswer lastAnswer,
            HandOver handOver,
            Mailbox mailbox) {
        this.room = room;
        this.grants = grants;
        this.source = source;
        this.arrivals = arrivals;
        this.lastAnswer = lastAnswer;
        this.handOver = handOver;
        this.mailbox = mailbox;
    }

    boolean isUnderWay() {
        return underWay;
    }

    /** A question is on its way that this room has not asked, or is about to be. */
    void expect() {
        underWay = true;
    }

    /** The question that was expected is still to be asked. */
    void askExpected() {
        mailbox.post(() -> {
            underWay = false;
            room.askAgain();
        });
    }

    void ask(Waiter head) {
        underWay = true;
        answered(() -> source.ask(head))
                .whenComplete(
                        (answer, failure) -> answered(head, failure == null ? answer : new Unknown(failure, false)));
    }

    void answered(Waiter asker, Answer answer) {
        mailbox.post(() -> {
            underWay = false;
            heard(asker, answer);
            room.decided();
        });
    }

    /** A question that could not even be put is answered: otherwise the room would wait for that answer for ever. */
    static <T> CompletionStage<T> answered(Supplier<CompletionStage<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException | Error thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    private void heard(Waiter asker, Answer answer) {
        if (answer instanceof Granted granted) {
            lastAnswer.granted();
            room.remember(false);
            granted(asker, granted.grant());
        } else {
            lastAnswer.refused(answer);
            if (answer instanceof Unknown unknown && !unknown.passing()) {
                arrivals.refuseAll(answer);
            }
        }
    }

    private void granted(Waiter asker, Grant grant) {
        Waiter next = arrivals.head();
        if (next == asker && next.canUse(grant)) {
            room.give(asker, grant, false);
        } else if (next == null || handOver.isUnderWay()) {
            grants.giveBack(grant);
        } else if (source.isShared()) {
            // While it was made to fit the next one, those who will not wait would be refused what they may have.
            grants.giveBack(grant);
            room.ask();
        } else {
            handOver.offer(grant);
        }
    }
}
