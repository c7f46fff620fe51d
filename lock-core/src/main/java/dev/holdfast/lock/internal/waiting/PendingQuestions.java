package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.SerialQueue;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a room has on its way, and what the answers bring. Usually it is one question on behalf of the head. A grant that nobody has held, and that was
 * not made for the head, is made to fit first, which may take a round trip. Once one waiter has a lock that several may have, the others ask at once
 * and together.
 *
 * <p>Used behind the room's {@link SerialQueue}.
 */
final class PendingQuestions {

    /** How many questions are on their way together. */
    private static final int MOST_AT_ONCE = 1000;

    private final WaitingRoom room;
    private boolean headAsks;
    private boolean grantIsFitted;
    private int othersAsk;

    PendingQuestions(WaitingRoom room) {
        this.room = room;
    }

    boolean areUnanswered() {
        return headAsks || grantIsFitted || othersAsk > 0;
    }

    boolean isGrantFitted() {
        return grantIsFitted;
    }

    /** A question is on its way that this room has not asked, or is about to be. */
    void expect() {
        headAsks = true;
    }

    /** The question that was expected is still to be asked. */
    void askExpected() {
        room.queue.post(() -> {
            headAsks = false;
            room.askAgain();
        });
    }

    void ask(Waiter head) {
        headAsks = true;
        put(() -> room.source.ask(head), (answer, failure) -> answered(head, known(answer, failure)));
    }

    void answered(Waiter asker, Answer answer) {
        room.queue.post(() -> {
            headAsks = false;
            heard(asker, answer);
            room.decided();
        });
    }

    /** A question that could not even be put is answered: otherwise the room would wait for that answer for ever. */
    private static <T> void put(
            Supplier<CompletionStage<T>> question, BiConsumer<? super T, @Nullable Throwable> onAnswer) {
        CompletionStage<T> answer;
        try {
            answer = question.get();
        } catch (RuntimeException | Error thrown) {
            answer = CompletableFuture.failedFuture(thrown);
        }
        answer.whenComplete(onAnswer);
    }

    private static Answer known(Answer answer, @Nullable Throwable failure) {
        return failure == null ? answer : new Unknown(failure, false);
    }

    private void heard(Waiter asker, Answer answer) {
        if (answer instanceof Granted granted) {
            room.lastAnswer.granted();
            room.wakeUps.remember(false);
            granted(asker, granted.grant());
        } else {
            room.lastAnswer.refused(answer);
            if (answer instanceof Unknown unknown && !unknown.isTransient()) {
                room.arrivals.refuseAll(answer);
            }
        }
    }

    private void granted(Waiter asker, Grant grant) {
        Waiter next = room.arrivals.head();
        if (next == asker && next.canUse(grant)) {
            room.give(asker, grant, false);
        } else if (next == null || grantIsFitted) {
            room.grants.giveBack(grant);
        } else if (room.isShared()) {
            // While it was made to fit the next one, those who will not wait would be refused what they may have.
            room.grants.giveBack(grant);
            room.ask();
        } else {
            offer(grant);
        }
    }

    /** Gives a grant to the head that was not made for it. If the head has gone by the time that it fits, it is made to fit the next one. */
    void offer(Grant grant) {
        Waiter next = room.arrivals.head();
        if (next == null) {
            room.grants.giveBack(grant);
            return;
        }
        grantIsFitted = true;
        put(
                () -> room.grants.adaptLease(grant, next),
                (fits, failure) -> room.queue.post(() -> {
                    grantIsFitted = false;
                    fitted(next, grant, failure == null && fits);
                    if (failure != null) {
                        room.lastAnswer.refused(new Unknown(cause(failure), true));
                    }
                    room.decided();
                }));
    }

    private void fitted(Waiter next, Grant grant, boolean fits) {
        Waiter head = room.arrivals.head();
        if (!fits || head == null) {
            room.grants.giveBack(grant);
            room.wakeUps.remember(true);
        } else if (head == next) {
            room.lastAnswer.granted();
            room.give(next, grant, true);
        } else {
            offer(grant);
        }
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** One waiter has the lock, and the others may have it too: asks for each of them, for a single one as for any head. */
    void askForOthers() {
        List<Waiter> waiters = room.arrivals.first(MOST_AT_ONCE);
        if (waiters.size() < 2) {
            room.ask();
            return;
        }
        othersAsk = waiters.size();
        for (Waiter waiter : waiters) {
            put(
                    () -> room.source.askAside(waiter),
                    (answer, failure) -> room.queue.post(() -> heardAside(waiter, known(answer, failure))));
        }
    }

    private void heardAside(Waiter waiter, Answer answer) {
        if (!(answer instanceof Granted granted)) {
            room.lastAnswer.refused(answer);
        } else if (waiter.isWaiting()) {
            room.arrivals.serve(waiter, room.grants.hold(granted.grant(), waiter, false));
        } else {
            room.grants.giveBack(granted.grant());
        }
        if (--othersAsk == 0) {
            if (room.lastAnswer.get() == null && room.arrivals.head() != null) {
                // They have come meanwhile.
                askForOthers();
            } else {
                room.decided();
            }
        }
    }
}
