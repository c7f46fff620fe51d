package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.Failures;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * To which waiter of a room a grant goes: to the one that asked for it, or handed over to the head, or to nobody. Used by the events of the room
 * only.
 */
final class Assignment {

    /** How many requests are under way together. */
    private static final int MOST_AT_ONCE = 1000;

    private final WaitingRoom room;
    private int unanswered;

    Assignment(WaitingRoom room) {
        this.room = room;
    }

    void answered(Event.Answered event) {
        if (room.phase == Phase.ASKING_FOR_ALL) {
            answeredForAll(event.waiter(), event.answer());
            return;
        }
        boolean expected = room.phase == Phase.ASKING;
        if (expected) {
            room.phase = Phase.IDLE;
        }
        if (event.answer() instanceof Granted granted) {
            room.signaled = false;
            room.last = null;
            granted(event.waiter(), granted.grant(), expected);
        } else {
            room.refused(event.answer());
            if (event.answer() instanceof Unknown unknown && !unknown.isTransient()) {
                room.waiters.refuseAll(unknown);
            }
        }
    }

    private void granted(Waiter asker, Grant grant, boolean expected) {
        Waiter head = room.waiters.head();
        if (head == null || !expected) {
            room.lock.giveBack(grant);
        } else if (head == asker && head.canUse(grant)) {
            give(head, grant, false);
        } else if (room.lock.traits().isEnteredTogether()) {
            // While it was adapted for the next one, those who will not wait would be refused what they may have.
            room.lock.giveBack(grant);
            room.ask();
        } else {
            offerUnheld(grant);
        }
    }

    private void give(Waiter head, Grant grant, boolean handedOver) {
        room.waiters.serve(head, room.lock.hold(grant, head, handedOver));
        if (room.lock.traits().isEnteredTogether()) {
            askForAll();
        }
    }

    /** One waiter has the lock, and the others may have it too: asks for each of them, for a single one as for any head. */
    private void askForAll() {
        List<Waiter> asking = room.waiters.first(MOST_AT_ONCE);
        if (asking.size() < 2) {
            room.ask();
        } else {
            room.phase = Phase.ASKING_FOR_ALL;
            unanswered = asking.size();
            asking.forEach(waiter -> room.send(room.place::askAside, waiter));
        }
    }

    private void answeredForAll(Waiter asker, Answer answer) {
        if (!(answer instanceof Granted granted)) {
            room.refused(answer);
        } else if (asker.isWaiting()) {
            room.waiters.serve(asker, room.lock.hold(granted.grant(), asker, false));
        } else {
            room.lock.giveBack(granted.grant());
        }
        if (--unanswered == 0) {
            room.phase = Phase.IDLE;
            if (room.last == null) {
                // They have come meanwhile.
                askForAll();
            }
        }
    }

    /** A grant that nobody has held, for a waiter that did not ask for it, or is gone. */
    void offerUnheld(Grant grant) {
        offer(grant, taken -> {
            if (!taken) {
                room.lock.giveBack(grant);
                room.signaled = true;
            }
        });
    }

    /**
     * Offers a grant to the head that did not ask for it: a holder of this client releases it, or a release elsewhere has made it.
     *
     * @param outcome learns whether it is taken, before the head has it
     */
    void offer(Grant grant, Consumer<Boolean> outcome) {
        Waiter head = room.waiters.head();
        if (head == null
                || room.phase == Phase.ADAPTING
                || (room.last != null && room.last.namesAnother(grant.owner()))) {
            outcome.accept(false);
            return;
        }
        switch (room.lock.fit(grant, head)) {
            case AS_IT_IS -> take(head, grant, outcome);
            case TOO_SHORT -> lengthen(head, grant, outcome);
            case NOT -> outcome.accept(false);
        }
    }

    private void lengthen(Waiter head, Grant grant, Consumer<Boolean> outcome) {
        room.phase = Phase.ADAPTING;
        room.stopAlarm();
        // Also an extension that cannot even be sent ends as an event.
        CompletableFuture.completedFuture(grant)
                .thenCompose(same -> room.lock.lengthen(same, head))
                .whenComplete((fits, failure) -> room.post(
                        new Event.Adapted(head, grant, outcome, failure == null && fits, Failures.unwrapped(failure))));
    }

    private void take(Waiter head, Grant grant, Consumer<Boolean> outcome) {
        outcome.accept(true);
        room.last = null;
        give(head, grant, true);
    }

    void adapted(Event.Adapted event) {
        room.phase = Phase.IDLE;
        if (event.fits() && event.waiter() == room.waiters.head()) {
            take(event.waiter(), event.grant(), event.outcome());
        } else if (event.fits()) {
            offer(event.grant(), event.outcome());
        } else {
            event.outcome().accept(false);
        }
        Throwable failure = event.failure();
        if (failure != null) {
            room.refused(new Unknown(failure, true));
        }
    }
}
