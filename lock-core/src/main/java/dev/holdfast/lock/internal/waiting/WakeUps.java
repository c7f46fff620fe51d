package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Counters.Item;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import java.util.Optional;

/**
 * What makes a room ask again: a signal, the confirmation of a subscription, or the room's one alarm, whichever is first. While somebody waits and
 * nothing is on its way, the alarm is set. Used behind the room's {@link Mailbox}.
 */
final class WakeUps {

    private final WaitingRoom room;
    private final Grants grants;
    private final GrantSource source;
    private final RoomParts parts;
    private final Arrivals arrivals;
    private final LastAnswer lastAnswer;
    private final Alarm alarm;
    private final Listening listening;

    private boolean signalled;

    /** Whether the alarm rings soon, to see whether a holder of this client still has the lock. */
    private boolean awaitsRelease;

    WakeUps(
            WaitingRoom room,
            Grants grants,
            GrantSource source,
            RoomParts parts,
            Arrivals arrivals,
            LastAnswer lastAnswer,
            Mailbox mailbox) {
        this.room = room;
        this.grants = grants;
        this.source = source;
        this.parts = parts;
        this.arrivals = arrivals;
        this.lastAnswer = lastAnswer;
        this.alarm = new Alarm(parts.timer(), parts.ticker(), mailbox, this::ring);
        this.listening = new Listening(source, mailbox, this::listens);
    }

    /** Asks for the first that comes, unless the lock's holder is of this client and releases to the room. */
    void begin(Waiter first) {
        long heldHere = first.waits() && !signalled ? grants.heldHereNanos() : 0;
        if (heldHere == 0) {
            room.ask();
            return;
        }
        lastAnswer.granted();
        room.setDeadline(first);
        awaitsRelease = true;
        alarm.noLaterThan(parts.ticker().now() + heldHere);
    }

    /** Whether the room is kept although nobody is here: threads that take turns come back before its alarm rings. */
    boolean awaitsRelease() {
        return awaitsRelease;
    }

    /** Nobody waits any more. */
    void rest() {
        if (!awaitsRelease) {
            alarm.stop();
        }
    }

    /** The lock is asked for, or is about to be given to somebody here, or the room ends. */
    void stop() {
        alarm.stop();
        awaitsRelease = false;
    }

    /** Whether to ask once what is on its way is decided, although nothing wakes the room. */
    void remember(boolean signal) {
        signalled = signal;
    }

    void signal() {
        if (room.isUndecided()) {
            signalled = true;
        } else if (!arrivals.isEmpty()) {
            wake();
        }
    }

    private void wake() {
        signalled = false;
        parts.counters().count(Item.WAKE_UP_BY_SIGNAL);
        Optional<Grant> grant = source.takeGrant();
        if (grant.isPresent()) {
            lastAnswer.granted();
            stop();
            room.offer(grant.get());
        } else {
            room.ask();
        }
    }

    /** After anything has happened: sees to it that the waiting head will ask again. */
    void plan() {
        Answer last = lastAnswer.get();
        if (signalled) {
            wake();
        } else if (!source.isInLine() && (last instanceof Busy || (last == null && source.hasSeveral()))) {
            // The answer was to a waiter that did not wait, or has left and given up the place; or one more may be
            // free. No release elsewhere knows that the room waits.
            room.ask();
        } else {
            if (last instanceof Busy refusal) {
                listening.begin(refusal);
            }
            alarm.noLaterThan(lastAnswer.askAt());
        }
    }

    private void listens(boolean confirmed) {
        if (!confirmed) {
            lastAnswer.signalsRefused();
            room.settle();
        } else if (room.isUndecided()) {
            signalled = true;
        } else {
            room.ask();
        }
    }

    /** Whether the last answer is out of date, although its alarm has not rung yet. */
    boolean isDue() {
        return alarm.isDue();
    }

    /** The alarm rings, or should have rung by now. */
    void ring() {
        boolean awaited = awaitsRelease;
        awaitsRelease = false;
        Waiter head = arrivals.head();
        if (head == null) {
            room.emptied();
        } else if (!room.isUndecided()) {
            if (awaited && lastAnswer.get() == null) {
                begin(head);
                return;
            }
            if (lastAnswer.isBusy()) {
                parts.counters().count(Item.WAKE_UP_BY_POLL);
            }
            room.ask();
        }
    }
}
