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
 * Where the callers of one client wait for one lock, in order of arrival. Only the room asks Redis, one request at a time and on behalf of its
 * head; the others cost nothing there. A grant goes to the waiter that is head when it comes, so a waiter that leaves takes nothing with it.
 *
 * <p>A room is in one {@link Phase}, and one {@link Event} happens at a time. After each, a room with waiters has a request under way or an alarm set. A
 * room that is refused has a place in the lock's queue: it makes sure that it hears of releases, asks once more if it did not hear of them before,
 * then sleeps until a message or the moment that the {@link PollSchedule} gives. A lost message costs one poll.
 */
final class WaitingRoom extends SerialQueue<Event> implements GrantSource.Receiver {

    final WaitingRooms rooms;
    final WaitableLock lock;
    final GrantSource place;
    private final RoomId id;
    final Waiters waiters = new Waiters(this);
    private final Assignment assignment = new Assignment(this);
    Phase phase = Phase.IDLE;
    /** The last answer, unless this client had the lock after it. */
    @Nullable
    Refusal last;

    /** Whether to wake up as soon as the present request is answered: the answer may be older than a release. */
    boolean signaled;

    /** Null in a room that has not slept yet: most are served by their first request. */
    private @Nullable Sleep sleep;

    WaitingRoom(WaitingRooms rooms, RoomId id, WaitableLock lock) {
        this.rooms = rooms;
        this.id = id;
        this.lock = lock;
        this.place = lock.open(this);
    }

    /** Lets a waiter in. Returns false if the room has ended. */
    boolean enter(Waiter waiter) {
        boolean open = waiters.expect();
        if (open) {
            post(new Event.Entered(waiter));
        }
        return open;
    }

    int waiters() {
        return waiters.count();
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

    /** All that happens in a room; {@code docs/architecture.md} has it as a table. */
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
                // The release may have come before.
                wakeUp(this::ask);
            }
        } else if (event instanceof Event.AlarmRang rang) {
            if (sleep().isMine(rang.alarm())) {
                alarmRang();
            }
        } else if (event instanceof Event.Listed listed) {
            listed.answer().completeAsync(() -> waiters.describe(listed.most(), listed.now()), Runnable::run);
        } else if (event instanceof Event.Closing) {
            refused(new Unknown(lock.closed(), false));
            waiters.refuseAll(lastAnswer());
        }
        settle();
    }

    /** After each event: a room with waiters has a request under way or an alarm set, and one without ends. */
    private void settle() {
        if (!phase.isRequesting()) {
            waiters.refuseOverdue(lastAnswer());
            Waiter head = waiters.head();
            if (head != null) {
                waiters.setDeadline(head);
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
     * Whether no release elsewhere would know that the room waits: the last answer was to a waiter that did not wait, or has left and given up the
     * place. One more permit of a semaphore may be free.
     */
    private boolean mustBeInQueue() {
        return last == null ? lock.traits().isCounted() : last.isBusy();
    }

    private Sleep sleep() {
        Sleep present = sleep;
        if (present == null) {
            present = new Sleep(this);
            sleep = present;
        }
        return present;
    }

    void stopAlarm() {
        if (sleep != null) {
            sleep.stop();
        }
    }

    /** Nobody waits. */
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

    /** Ends the room, unless somebody is about to come, or it stays for those who come back. */
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
            waiters.setDeadline(waiter);
        }
    }

    /** Asks for the first that comes, unless the lock's holder is of this client and releases to the room. */
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
        last = rooms.schedule.refused(last, refusal, rooms.ticker.now());
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

    /** A request that cannot even be sent is answered: otherwise the room would wait for the answer forever. */
    void send(Consumer<Waiter> request, Waiter waiter) {
        try {
            request.accept(waiter);
        } catch (RuntimeException | Error thrown) {
            answered(waiter, new Unknown(thrown, false));
        }
    }

    /** What is under way was sent before, so its answer may say too little: then the room wakes up behind it. */
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

    /** The alarm rings, or should have rung by now. */
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
