package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.List;

/** Once one waiter has a lock that several may have, the others of its room ask at once and together. Used behind the room's {@link Mailbox}. */
final class SharedAdmission {

    /** How many questions are on their way together. */
    private static final int MOST_AT_ONCE = 1000;

    private final Grants grants;
    private final GrantSource source;
    private final Arrivals arrivals;
    private final LastAnswer lastAnswer;
    private final Mailbox mailbox;
    private final Runnable onDone;
    private int unanswered;

    SharedAdmission(
            Grants grants,
            GrantSource source,
            Arrivals arrivals,
            LastAnswer lastAnswer,
            Mailbox mailbox,
            Runnable onDone) {
        this.grants = grants;
        this.source = source;
        this.arrivals = arrivals;
        this.lastAnswer = lastAnswer;
        this.mailbox = mailbox;
        this.onDone = onDone;
    }

    /** Asks for each of them. Returns false, and does nothing, for fewer than two. */
    boolean begin() {
        List<Waiter> waiters = arrivals.first(MOST_AT_ONCE);
        if (waiters.size() < 2) {
            return false;
        }
        unanswered = waiters.size();
        for (Waiter waiter : waiters) {
            WaitingRoom.answered(() -> source.askAside(waiter)).whenComplete((answer, failure) -> {
                Answer heard = failure == null ? answer : new Unknown(failure, false);
                mailbox.post(() -> heard(waiter, heard));
            });
        }
        return true;
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
            onDone.run();
        }
    }
}
