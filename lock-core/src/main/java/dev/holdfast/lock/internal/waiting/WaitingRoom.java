package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.SerialQueue;
import dev.holdfast.lock.internal.event.Counters.Item;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import dev.holdfast.lock.internal.waiting.PollSchedule.Refusal;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The room in which the callers of one client wait for one lock, in order of arrival. Only the room sends requests to Redis, one at a time and on
 * behalf of its head, so the other waiters cost Redis nothing. A grant goes to the waiter that is the head when the grant arrives, so a waiter that
 * leaves takes nothing with it.
 *
 * <p>A room is in one {@link Phase}, and one {@link Event} happens at a time. After each event, a room with waiters has a request under way or an
 * alarm set. A refused room has a place in the lock's queue. It ensures that it is notified of releases, and asks once more if it was not subscribed
 * before. Then it sleeps until a message arrives, or until the time that {@link PollSchedule} sets. A lost message delays the room until that time.
 */
final class WaitingRoom extends SerialQueue<Event> implements GrantSource.Receiver {

    final WaitingRooms rooms;
    final WaitableLock lock;
    final GrantSource place;
    private final RoomId id;
    final Waiters waiters = new Waiters(this);
    private final Assignment assignment = new Assignment(this);
    Phase phase = Phase.IDLE;
    /** The last refusal, or null if this client had the lock after it. */
    @Nullable
    Refusal last;

    /** Whether to wake up as soon as the present request is answered, because the answer may be older than a release. */
    boolean signaled;

    /** Null until the room sleeps for the first time. Most rooms never sleep, because their first request is granted. */
    private @Nullable Sleep sleep;

    WaitingRoom(WaitingRooms rooms, RoomId id, WaitableLock lock) {
        this.rooms = rooms;
        this.id = id;
        this.lock = lock;
        this.place = lock.open(this);
    }

    /** Lets a waiter enter. Returns false if the room has ended. */
    boolean enter(Waiter waiter) {
        boolean open = waiters.expect();
        if (open) {
            waiter.enter(this);
            post(new Event.Entered(waiter));
        }
        return open;
    }

    @Override
    protected Executor ownThreads() {
        return rooms.ownThreads;
    }

    @Override
    public void answered(Waiter waiter, Answer answer) {
        post(new Event.Answered(waiter, answer));
    }

    @Override
    public void signaled() {
        post(Event.Signaled.SIGNALED);
    }

    /** Handles every event of the room. {@code docs/contributing/architecture.md} has a table of the events. */
    @Override
    protected void handle(Event event) {
        if (event instanceof Event.Entered entered) {
            entered(entered.waiter());
        } else if (event instanceof Event.GaveUp gone) {
            waiters.remove(gone.waiter());
        } else if (event instanceof Event.DeadlinePassed over) {
            deadlinePassed(over.waiter());
        } else if (event instanceof Event.LimitPassed over) {
            waiters.refuse(over.waiter(), new Unknown(lock.unanswered(), true));
        } else if (event instanceof Event.Refused refused) {
            waiters.refused(refused.waiter(), refused.answer());
        } else if (event instanceof Event.Answered answered) {
            assignment.answered(answered);
        } else if (event instanceof Event.Adapted adapted) {
            assignment.adapted(adapted);
        } else if (event instanceof Event.Offered offered) {
            assignment.offer(offered.grant(), offered.outcome());
        } else if (event instanceof Event.Signaled) {
            wakeUp(this::takeGrantOrAsk);
        } else if (event instanceof Event.ReleasedHere) {
            wakeUp(this::ask);
        } else if (event instanceof Event.Subscribed subscribed) {
            sleep().subscribed(subscribed.refused());
            if (!subscribed.refused()) {
                // The release may have come before the subscription.
                wakeUp(this::ask);
            }
        } else if (event instanceof Event.AlarmRang && sleep().isSet()) {
            alarmRang();
        } else if (event instanceof Event.Listed listed) {
            listed.answer().completeAsync(() -> waiters.describe(listed.most(), listed.now()), Runnable::run);
        } else if (event instanceof Event.Closing) {
            refused(new Unknown(lock.closed(), false));
            waiters.refuseAll(lastAnswer());
        }
        settle();
    }

    /** Called after each event. Ensures that a room with waiters has a request under way or an alarm set. Ends a room without waiters. */
    private void settle() {
        if (!phase.isRequesting()) {
            waiters.refuseOverdue(lastAnswer());
            Waiter head = waiters.head();
            if (head != null) {
                head.setDeadline();
                if (phase != Phase.AWAITING_LOCAL_RELEASE) {
                    sleepOrAsk();
                }
            }
        }
        if (waiters.head() == null) {
            leave();
        }
    }

    private void sleepOrAsk() {
        if (signaled) {
            takeGrantOrAsk();
            // If the head has received the grant, the next waiter needs a request or an alarm.
            settle();
        } else if (!place.isInQueue() && mustBeInQueue()) {
            ask();
        } else {
            phase = Phase.SLEEPING;
            sleep().until(nextRequestAt());
        }
    }

    private long nextRequestAt() {
        return last == null
                ? rooms.schedule.askAtWhileHeldHere(rooms.ticker.now())
                : rooms.schedule.askAt(last, sleep().listen(last.answer()));
    }

    /**
     * Returns whether the room must enter the queue, so that releases elsewhere know that it waits. The room has no place if the last answer was for
     * a waiter that does not wait, or that has left and given up the place. A room for a semaphore asks even if this client has a permit, because one
     * more permit may be free.
     */
    private boolean mustBeInQueue() {
        return last == null ? lock.traits().isCounted() : last.isBusy();
    }

    private Sleep sleep() {
        if (sleep == null) {
            sleep = new Sleep(this);
        }
        return sleep;
    }

    void stopAlarm() {
        if (sleep != null) {
            sleep.stop();
        }
    }

    /** Called when the room has no waiters. */
    private void leave() {
        if (phase == Phase.SLEEPING) {
            stopAlarm();
            phase = Phase.IDLE;
        }
        end();
        place.leaveQueue();
        if (phase == Phase.IDLE && waiters.haveEnded()) {
            phase = Phase.CLOSED;
            place.close();
        }
    }

    /** Ends the room, unless a waiter is about to enter, or the room stays open for waiters that return. */
    void end() {
        if (phase != Phase.AWAITING_LOCAL_RELEASE && waiters.end()) {
            rooms.ended(id, this);
        }
    }

    private void entered(Waiter waiter) {
        boolean first = waiters.isEmpty();
        // Whether the last answer is out of date, although the alarm has not rung yet.
        boolean late = !first && sleep != null && sleep.isOver();
        if (waiter.overdue && !first && !late && !phase.isRequesting()) {
            waiters.refused(waiter, lastAnswer());
            return;
        }
        waiters.add(waiter);
        if (phase.isRequesting()) {
            waiters.stayForAnswer(waiter);
        } else if (first) {
            begin(waiter);
        } else if (late) {
            waiters.stayForAnswer(waiter);
            alarmRang();
        } else {
            waiter.setDeadline();
        }
    }

    /** Asks for the first waiter, unless a holder of this client has the lock and will release it to this room. */
    private void begin(Waiter first) {
        long heldHere = first.waits() && !signaled ? lock.heldHereNanos() : 0;
        if (heldHere == 0) {
            ask();
        } else {
            last = null;
            phase = Phase.AWAITING_LOCAL_RELEASE;
            sleep().until(rooms.ticker.now() + heldHere);
        }
    }

    private void deadlinePassed(Waiter waiter) {
        waiter.overdue = true;
        if (phase.isRequesting()) {
            waiters.stayForAnswer(waiter);
        } else {
            waiters.refuse(waiter, lastAnswer());
        }
    }

    private @Nullable Answer lastAnswer() {
        return last == null ? null : last.answer();
    }

    void refused(Answer refusal) {
        Refusal before = last;
        last = rooms.schedule.refused(before, refusal, rooms.ticker.now());
        waiters.reportLong(before, last);
    }

    void ask() {
        Waiter head = waiters.head();
        if (head != null) {
            signaled = false;
            stopAlarm();
            phase = Phase.ASKING;
            send(place::ask, head);
        }
    }

    /** Sends a request. If it cannot even be sent, posts an answer; otherwise, the room would wait for an answer forever. */
    void send(Consumer<Waiter> request, Waiter waiter) {
        try {
            request.accept(waiter);
        } catch (RuntimeException | Error thrown) {
            answered(waiter, new Unknown(thrown, false));
        }
    }

    /** Wakes the room. A request under way may be older than the reason to wake up, so the room then wakes up after its answer. */
    private void wakeUp(Runnable action) {
        if (phase.isRequesting()) {
            signaled = true;
        } else if (!waiters.isEmpty()) {
            action.run();
        }
    }

    private void takeGrantOrAsk() {
        signaled = false;
        rooms.counters.count(Item.WAKE_UP_BY_SIGNAL);
        Optional<Grant> grant = place.takeGrant();
        if (grant.isPresent()) {
            last = null;
            assignment.offerUnheld(grant.get());
        } else {
            ask();
        }
    }

    /** Called when the alarm rings or should have rung by now. */
    private void alarmRang() {
        stopAlarm();
        boolean awaited = phase == Phase.AWAITING_LOCAL_RELEASE;
        phase = Phase.IDLE;
        Waiter head = waiters.head();
        if (head != null && awaited) {
            begin(head);
        } else if (head != null) {
            if (last != null && last.isBusy()) {
                rooms.counters.count(Item.WAKE_UP_BY_POLL);
            }
            ask();
        }
    }
}
