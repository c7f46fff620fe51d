package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.List;

/** Once one waiter has a lock that several may have, the others of its room ask at once and together. Used behind the room's {@link Mailbox}. */
final class SharedAdmission {

    /** How many questions are on their way together. */
    private static final int MOST_AT_ONCE = 1000;

    private final WaitingRoom room;
    private final Grants grants;
    private final GrantSource source;
    private final Arrivals arrivals;
    private final LastAnswer lastAnswer;
    private final Mailbox mailbox;
    private int unanswered;

    SharedAdmission(
            WaitingRoom room,
            Grants grants,
            GrantSource source,
            Arrivals arrivals,
            LastAnswer lastAnswer,
            Mailbox mailbox) {
        this.room = room;
        this.grants = grants;
        this.source = source;
        this.arrivals = arrivals;
        this.lastAnswer = lastAnswer;
        this.mailbox = mailbox;
    }

    boolean isUnderWay() {
        return unanswered > 0;
    }

    /** Asks for each of them, for a single one as for any head. */
    void begin() {
        List<Waiter> waiters = arrivals.first(MOST_AT_ONCE);
        if (waiters.size() < 2) {
            room.ask();
            return;
        }
        unanswered = waiters.size();
        for (Waiter waiter : waiters) {
            HeadQuestion.answered(() -> source.askAside(waiter)).whenComplete((answer, failure) -> {
                Answer heard = failure == null ? answer : new Unknown(failure, false);
                mailbox.post(() -> heard(waiter, heard));
            });
        }
    }

    private void heard(Waiter waiter, Answer answer) {
        if (!(answer instanceof Granted granted)) {
            lastAnswer.refused(answer);
        } else if (waiter.isWaiting()) {
            arrivals.serve(waiter, grants.hold(granted.grant(), waiter, false));
        } else {
            grants.giveBack(granted.grant());
        }
        if (--unanswered == 0) {
            room.admitted();
        }
    }
}
