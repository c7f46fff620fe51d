package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.Failures;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Granted;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Decides which waiter of a room gets a grant: the waiter that asked for it, or the head, to which it is handed over, or nobody. Used only by the
 * events of the room.
 */
final class Assignment {

    /** The largest number of requests that are under way at the same time. */
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
            granted(event.waiter(), granted, expected);
        } else {
            room.refused(event.answer());
            if (event.answer() instanceof Unknown unknown && !unknown.isTransient()) {
                room.waiters.refuseAll(unknown);
            }
        }
    }

    private void granted(Waiter asker, Granted granted, boolean expected) {
        Grant grant = granted.grant();
        Waiter head = room.waiters.head();
        if (head == null || !expected) {
            room.lock.giveBack(grant);
        } else if (head == asker && head.canUse(granted)) {
            give(head, grant, false);
        } else if (room.lock.traits().isEnteredTogether()) {
            // Gives the grant back and asks for the present head. An adaptation would take time, in which callers that
            // do not wait would be refused although they may share the lock.
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

    /**
     * Asks for all remaining waiters, because one waiter has received a lock that they may share. A single remaining waiter is treated like any other
     * head.
     */
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
                // Asks for the waiters that have come in the meantime.
                askForAll();
            }
        }
    }

    /**
     * Offers the head a grant that has had no holder. The waiter that asked for the grant has left or cannot use it, or a release elsewhere has made
     * it.
     */
    void offerUnheld(Grant grant) {
        offer(grant, taken -> {
            if (!taken) {
                room.lock.giveBack(grant);
                room.signaled = true;
            }
        });
    }

    /**
     * Offers a grant to the head, which did not ask for it. For example, a holder of this client has released the grant, or a release elsewhere has
     * made it.
     *
     * @param outcome receives whether the grant is taken, before the head receives the grant
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
        // An extension that cannot even be sent ends as an event, too.
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
