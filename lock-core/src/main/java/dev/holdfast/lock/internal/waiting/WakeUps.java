package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.SerialQueue;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.event.Counters.Item;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What makes a room ask again: a signal, the confirmation of a subscription, or the room's one alarm, whichever is first. While somebody waits and
 * nothing is on its way, the alarm is set. Once set it only moves earlier, until it rings or is stopped. Used behind the room's {@link SerialQueue}.
 */
final class WakeUps {

    private final WaitingRoom room;
    private Timer.@Nullable Timeout alarm;
    private long alarmAt;
    private long alarmNumber;
    private boolean signalled;
    private boolean subscribing;
    private boolean subscriptionRefused;

    /** Whether the alarm rings soon, to see whether a holder of this client still has the lock. */
    private boolean awaitsRelease;

    WakeUps(WaitingRoom room) {
        this.room = room;
    }

    /** Asks for the first that comes, unless the lock's holder is of this client and releases to the room. */
    void begin(Waiter first) {
        long heldHere = first.waits() && !signalled ? room.grants.heldHereNanos() : 0;
        if (heldHere == 0) {
            room.ask();
            return;
        }
        room.lastAnswer.granted();
        room.setDeadline(first);
        awaitsRelease = true;
        setAlarm(room.rooms.ticker.now() + heldHere);
    }

    /** Whether the room is kept although nobody is here: threads that take turns come back before its alarm rings. */
    boolean awaitsRelease() {
        return awaitsRelease;
    }

    /** Nobody waits any more. */
    void rest() {
        if (!awaitsRelease) {
            stopAlarm();
        }
    }

    /** The lock is asked for, or is about to be given to somebody here, or the room ends. */
    void stop() {
        stopAlarm();
        awaitsRelease = false;
    }

    /** Whether to ask once what is on its way is decided, although nothing wakes the room. */
    void remember(boolean signal) {
        signalled = signal;
    }

    void signal() {
        if (room.questions.areUnanswered()) {
            signalled = true;
        } else if (!room.arrivals.isEmpty()) {
            wake();
        }
    }

    private void wake() {
        signalled = false;
        room.rooms.counters.count(Item.WAKE_UP_BY_SIGNAL);
        Optional<Grant> grant = room.source.takeGrant();
        if (grant.isPresent()) {
            room.lastAnswer.granted();
            stop();
            room.questions.offer(grant.get());
        } else {
            room.ask();
        }
    }

    /** After anything has happened: sees to it that the waiting head will ask again. */
    void plan() {
        Answer last = room.lastAnswer.get();
        if (signalled) {
            wake();
        } else if (!room.source.isInQueue()
                && (last instanceof Busy || (last == null && room.grants.kind().isSemaphore()))) {
            // The answer was to a waiter that did not wait, or has left and given up the place; or one more may be
            // free. No release elsewhere knows that the room waits.
            room.ask();
        } else {
            if (last instanceof Busy refusal) {
                listen(refusal);
                room.lastAnswer.signals(room.source.isSubscribed(), subscribing);
            }
            setAlarm(room.lastAnswer.askAt());
        }
    }

    /** Makes sure that the room hears of the release that it waits for. */
    private void listen(Busy refusal) {
        CompletionStage<Void> ready = subscribing || subscriptionRefused ? null : room.source.listen(refusal);
        if (ready != null) {
            subscribing = true;
            ready.whenComplete((done, failure) -> room.queue.post(() -> {
                subscribing = false;
                subscriptionRefused = failure != null;
                listens();
            }));
        }
    }

    /** The release may have come before the subscription was confirmed. */
    private void listens() {
        if (subscriptionRefused) {
            room.settle();
        } else if (room.questions.areUnanswered()) {
            signalled = true;
        } else {
            room.ask();
        }
    }

    /** Whether the last answer is out of date, although its alarm has not rung yet. */
    boolean isDue() {
        return alarm != null && alarmAt - room.rooms.ticker.now() <= 0;
    }

    /** Unless it is set to an earlier moment. */
    private void setAlarm(long moment) {
        if (alarm != null && alarmAt - moment <= 0) {
            return;
        }
        stopAlarm();
        alarmAt = moment;
        long number = alarmNumber;
        alarm = room.rooms.timer.after(moment - room.rooms.ticker.now(), () -> room.queue.post(() -> rings(number)));
    }

    private void stopAlarm() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
        alarmNumber++;
    }

    /** One that was stopped may have rung already and be on its way through the queue. */
    private void rings(long number) {
        if (number == alarmNumber) {
            alarm = null;
            ring();
        }
    }

    /** The alarm rings, or should have rung by now. */
    void ring() {
        boolean awaited = awaitsRelease;
        awaitsRelease = false;
        Waiter head = room.arrivals.head();
        if (head == null) {
            room.emptied();
        } else if (!room.questions.areUnanswered()) {
            if (awaited && room.lastAnswer.get() == null) {
                begin(head);
                return;
            }
            if (room.lastAnswer.isBusy()) {
                room.rooms.counters.count(Item.WAKE_UP_BY_POLL);
            }
            room.ask();
        }
    }
}
