package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.background.SerialQueue;
import dev.holdfast.lock.internal.background.Timer;
import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Answer.Busy;
import dev.holdfast.lock.internal.lease.Answer.Unknown;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.waiting.PollSchedule.Messages;
import dev.holdfast.lock.internal.waiting.PollSchedule.Refusal;
import dev.holdfast.lock.internal.waiting.WaitingRooms.RoomId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The room in which the callers of one client wait for one lock, in order of arrival. Only the room sends requests to Redis, one at a time and on
 * behalf of its head, so the other waiters cost Redis nothing. A grant goes to the waiter that is the head when the grant arrives, so a waiter that
 * leaves takes nothing with it.
 *
 * <p>A room is in one {@link Phase}, and one event happens at a time. Each method that is not private is an event: it may be called on any thread, and
 * runs after the events before it. Answers, messages and offers overtake the events of callers. After each event, a room with waiters has a request
 * under way or an alarm set. {@code docs/contributing/architecture.md} has a table of the events and of the phases that may follow.
 *
 * <p>A refused room has a place in the lock's queue. It ensures that it is notified of releases, and asks once more if it was not subscribed before.
 * Then it sleeps until a message arrives, or until the time that {@link PollSchedule} sets. A lost message delays the room until that time.
 */
final class WaitingRoom extends SerialQueue implements Waiter.Room {

    /** The largest number of requests that are under way at the same time. */
    private static final int MOST_AT_ONCE = 1000;

    /** The present activity of the room. */
    enum Phase {
        /** Nobody waits. */
        IDLE,
        /** A request for the head is under way. */
        ASKING,
        /** One waiter has a lock that several may share. Requests for other waiters are under way at the same time. */
        ASKING_FOR_ALL,
        /** The head waits for a message or the alarm. */
        SLEEPING,
        /** A holder of this client has the lock and is about to release it. The room stays open, even without waiters, until its alarm rings. */
        AWAITING_LOCAL_RELEASE,
        /** The room has ended. The next waiter opens a new room. */
        CLOSED;

        /** Returns whether an answer is pending. Until it arrives, no request is sent, and messages and deadlines are not acted on. */
        boolean isRequesting() {
            return this == ASKING || this == ASKING_FOR_ALL;
        }
    }

    final WaitingRooms rooms;
    final WaitableLock lock;
    /** Events on which it depends whether others can have the lock. They do not wait behind callers that come and go. */
    private final Queue<Runnable> ahead = new ConcurrentLinkedQueue<>();

    private final RoomId id;
    private final LockPlace place;
    private final Waiters waiters = new Waiters();
    private Phase phase = Phase.IDLE;

    /** The last refusal, or null if this client had the lock after it. */
    private @Nullable Refusal last;

    /** Whether to wake up as soon as the present request is answered, because the answer may be older than a release. */
    private boolean signaled;

    /** The number of requests without an answer, while the room asks for all. */
    private int unanswered;

    /** Wakes a room that sleeps. Null if it does not sleep. */
    private Timer.@Nullable Timeout alarm;

    private long alarmAt;
    private boolean subscribing;
    private boolean subscriptionRefused;

    WaitingRoom(WaitingRooms rooms, RoomId id, WaitableLock lock) {
        this.rooms = rooms;
        this.id = id;
        this.lock = lock;
        this.place = lock.open(this);
    }

    /** Opens the room of a waiter whose request is under way. */
    WaitingRoom(WaitingRooms rooms, RoomId id, WaitableLock lock, LockPlace place, Waiter asker) {
        this.rooms = rooms;
        this.id = id;
        this.lock = lock;
        this.place = place;
        phase = Phase.ASKING;
        waiters.expect();
        waiters.add(asker);
        asker.enter(this);
    }

    Phase phase() {
        return phase;
    }

    Waiters waiters() {
        return waiters;
    }

    @Override
    protected Executor ownThreads() {
        return rooms.ownThreads;
    }

    @Override
    protected void handle(Runnable event) {
        try {
            for (Runnable first = ahead.poll(); first != null; first = ahead.poll()) {
                first.run();
                settle();
            }
        } finally {
            event.run();
            settle();
        }
    }

    /** Posts an event that overtakes others. */
    private void postAhead(Runnable event) {
        ahead.add(event);
        // Its turn is there for the event, if no other one comes before.
        post(() -> {});
    }

    /**
     * Called after each event. Ensures that a room with waiters has a request under way or an alarm set. Ends a room without waiters, but not before
     * its request is answered. Otherwise, callers that cancel at once would have as many requests under way as they like, and each release would be
     * behind all of them.
     */
    private void settle() {
        if (!phase.isRequesting()) {
            if (waiters.isSomeOverdue()) {
                refuseLater(waiters.takeOverdue());
            }
            Waiter head = waiters.head();
            if (head != null) {
                head.setDeadline(rooms.timer, rooms.ticker);
                if (phase != Phase.AWAITING_LOCAL_RELEASE) {
                    sleepOrAsk();
                }
            }
        }
        if (waiters.head() == null && !phase.isRequesting()) {
            leave();
        }
    }

    // --- Coming and going

    /** A caller has entered the room to acquire the lock. Returns false if the room has ended. */
    boolean entered(Waiter waiter) {
        boolean open = waiters.expect();
        if (open) {
            waiter.enter(this);
            post(() -> {
                boolean first = waiters.isEmpty();
                // Whether the last answer is out of date, although the alarm has not rung yet.
                boolean late = !first && alarm != null && alarmAt - rooms.ticker.now() <= 0;
                if (waiter.overdue && !first && !late && !phase.isRequesting()) {
                    refuse(waiter, lastAnswer());
                    return;
                }
                waiters.add(waiter);
                if (phase.isRequesting()) {
                    stayForAnswer(waiter);
                } else if (first) {
                    begin(waiter);
                } else if (late) {
                    stayForAnswer(waiter);
                    ring();
                } else {
                    waiter.setDeadline(rooms.timer, rooms.ticker);
                }
            });
        }
        return open;
    }

    /** Asks for the first waiter, unless a holder of this client has the lock and will release it to this room. */
    private void begin(Waiter first) {
        long heldHere = first.waits() && !signaled ? lock.heldHereNanos() : 0;
        if (heldHere == 0) {
            ask();
        } else {
            last = null;
            phase = Phase.AWAITING_LOCAL_RELEASE;
            sleepUntil(rooms.ticker.now() + heldHere);
        }
    }

    @Override
    public void gaveUp(Waiter waiter) {
        post(() -> waiters.remove(waiter));
    }

    @Override
    public void deadlinePassed(Waiter waiter) {
        post(() -> {
            waiter.overdue = true;
            if (phase.isRequesting()) {
                stayForAnswer(waiter);
            } else if (waiters.unlink(waiter)) {
                refuse(waiter, lastAnswer());
            }
        });
    }

    @Override
    public void limitPassed(Waiter waiter) {
        post(() -> {
            if (waiters.unlink(waiter)) {
                refuse(waiter, new Unknown(lock.unanswered(), true));
            }
        });
    }

    /**
     * Keeps a waiter until the pending answer arrives, even if its wait is over, because the answer decides about it. A time limit applies, because
     * the answer may lead to another request.
     */
    private void stayForAnswer(Waiter waiter) {
        waiter.setDeadline(rooms.timer, rooms.ticker);
        if (waiter.overdue) {
            waiters.staysOverdue();
            waiter.setLimit(rooms.timer, rooms.ticker, lock.longestAnswerNanos());
        }
    }

    /** A waiter that is not in the list any more is refused. This is a separate event, so that no thread notifies many waiters at once. */
    void refused(Waiter waiter, @Nullable Answer answer) {
        post(() -> refuse(waiter, answer));
    }

    private void refuse(Waiter waiter, @Nullable Answer answer) {
        waiters.left(waiter);
        waiter.refuse(answer);
    }

    private void refuseLater(List<Waiter> taken) {
        taken.forEach(waiter -> refused(waiter, lastAnswer()));
    }

    /** The client is closing. */
    void closing() {
        post(() -> {
            note(new Unknown(lock.closed(), false));
            refuseLater(waiters.takeAll());
            // The client may end before an answer comes.
            place.leaveQueue();
        });
    }

    /** A caller has asked for a list of the waiters. */
    void listed(int most, long now, CompletableFuture<List<WaitingLock>> answer) {
        post(() -> answer.completeAsync(() -> described(most, now), Runnable::run));
    }

    private List<WaitingLock> described(int most, long now) {
        return waiters.first(most).stream()
                .map(waiter -> new WaitingLock(
                        lock.lockName(),
                        lock.kind(),
                        Duration.ofNanos(Math.max(0, now - waiter.since())),
                        waiter.terms().thread().getName()))
                .toList();
    }

    /** Called when the room has no waiters and no answer is pending. */
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

    /** Ends the room, unless a waiter is about to enter, an answer is pending, or the room stays open for waiters that return. */
    private void end() {
        if (!phase.isRequesting() && phase != Phase.AWAITING_LOCAL_RELEASE && waiters.end()) {
            rooms.ended(id, this);
        }
    }

    // --- Requests and their answers

    private void ask() {
        Waiter head = waiters.head();
        if (head != null) {
            signaled = false;
            stopAlarm();
            phase = Phase.ASKING;
            send(place::ask, head);
        }
    }

    /** Sends a request. If it cannot even be sent, posts an answer; otherwise, the room would wait for an answer forever. */
    private void send(Consumer<Waiter> request, Waiter waiter) {
        try {
            request.accept(waiter);
        } catch (RuntimeException | Error thrown) {
            answered(waiter, new Unknown(thrown, false));
        }
    }

    /** The answer to a request has arrived. */
    @Override
    public void answered(Waiter waiter, Answer answer) {
        postAhead(() -> answer(waiter, answer));
    }

    private void answer(Waiter asker, Answer answer) {
        if (phase == Phase.ASKING_FOR_ALL) {
            answerForAll(asker, answer);
            return;
        }
        boolean expected = phase == Phase.ASKING;
        if (expected) {
            phase = Phase.IDLE;
        }
        if (answer instanceof Grant grant) {
            signaled = false;
            last = null;
            granted(asker, grant, expected);
        } else {
            note(answer);
            if (answer instanceof Unknown unknown && !unknown.isTransient()) {
                refuseLater(waiters.takeAll());
            }
        }
    }

    /** Notes a refusal, on which the time of the next request depends. */
    private void note(Answer refusal) {
        last = rooms.schedule.refused(last, refusal, rooms.ticker.now());
    }

    private @Nullable Answer lastAnswer() {
        return last == null ? null : last.answer();
    }

    /**
     * Asks for all remaining waiters, because one waiter has received a lock that they may share. A single remaining waiter is treated like any other
     * head.
     */
    private void askForAll() {
        List<Waiter> asking = waiters.first(MOST_AT_ONCE);
        if (asking.size() < 2) {
            ask();
        } else {
            phase = Phase.ASKING_FOR_ALL;
            unanswered = asking.size();
            asking.forEach(waiter -> send(place::askAside, waiter));
        }
    }

    private void answerForAll(Waiter asker, Answer answer) {
        if (!(answer instanceof Grant grant)) {
            note(answer);
        } else if (asker.isWaiting()) {
            serve(asker, lock.hold(grant, asker, false));
        } else {
            lock.giveBack(grant);
        }
        if (--unanswered == 0) {
            phase = Phase.IDLE;
            if (last == null) {
                // Asks for the waiters that have come in the meantime.
                askForAll();
            }
        }
    }

    // --- Who gets a grant: the waiter that asked for it, or the head, to which it is handed over, or nobody

    private void granted(Waiter asker, Grant grant, boolean expected) {
        Waiter head = waiters.head();
        if (head == null || !expected) {
            lock.giveBack(grant);
        } else if (head == asker && head.canUse(grant)) {
            give(head, grant, false);
        } else if (!isEnteredTogether() && lock.fits(grant, head)) {
            give(head, grant, true);
        } else {
            lock.giveBack(grant);
            ask();
        }
    }

    /** Returns whether all waiters may have the lock as soon as one of them has it. Each waiter then needs its own grant, which nobody else can use. */
    private boolean isEnteredTogether() {
        return lock.kind() == LockKind.READ;
    }

    private void give(Waiter head, Grant grant, boolean handedOver) {
        serve(head, lock.hold(grant, head, handedOver));
        if (isEnteredTogether()) {
            askForAll();
        }
    }

    private void serve(Waiter waiter, HeldLease lease) {
        waiters.remove(waiter);
        if (waiters.isEmpty()) {
            // Ends the room before the caller continues, so that the caller's release finds no waiter here, and its
            // next call opens a new room.
            end();
        }
        waiter.serve(lease);
    }

    /**
     * A holder of this client releases the lock and offers to hand it over.
     *
     * @param outcome receives whether the grant is taken, before the head receives the grant
     */
    void offered(Grant grant, Consumer<Boolean> outcome) {
        postAhead(() -> offer(grant, outcome));
    }

    private void offer(Grant grant, Consumer<Boolean> outcome) {
        Waiter head = waiters.head();
        if (head == null || (last != null && last.namesAnother(grant.owner())) || !lock.fits(grant, head)) {
            outcome.accept(false);
        } else {
            outcome.accept(true);
            last = null;
            give(head, grant, true);
        }
    }

    // --- Sleeping and waking up

    private void sleepOrAsk() {
        if (signaled) {
            takeGrantOrAsk();
            // If the head has received the grant, the next waiter needs a request or an alarm.
            settle();
        } else if (!place.isInQueue() && mustBeInQueue()) {
            ask();
        } else {
            phase = Phase.SLEEPING;
            sleepUntil(nextRequestAt());
        }
    }

    private long nextRequestAt() {
        return last == null
                ? rooms.schedule.askAtWhileHeldHere(rooms.ticker.now())
                : rooms.schedule.askAt(last, listen(last.answer()));
    }

    /**
     * Returns whether the room must enter the queue, so that releases elsewhere know that it waits. The room has no place if the last answer was for
     * a waiter that does not wait, or that has left and given up the place. A room for a semaphore asks even if this client has a permit, because one
     * more permit may be free.
     */
    private boolean mustBeInQueue() {
        return last == null ? lock.kind().isSemaphore() : last.isBusy();
    }

    /** Ensures that the room is notified of the release that it waits for. Returns whether messages arrive. */
    private Messages listen(Answer refusal) {
        if (refusal instanceof Busy busy) {
            CompletionStage<Void> ready = subscribing || subscriptionRefused ? null : place.listen(busy);
            if (ready != null) {
                subscribing = true;
                ready.whenComplete((done, failure) -> subscribed(failure != null));
            }
            if (!place.isSubscribed()) {
                return subscribing ? Messages.EXPECTED : Messages.NONE;
            }
        }
        return Messages.ARRIVE;
    }

    /** A subscription is confirmed, so messages arrive from now on, or Redis has refused it. */
    void subscribed(boolean refused) {
        post(() -> {
            subscribing = false;
            subscriptionRefused = refused;
            if (!refused) {
                // The release may have come before the subscription.
                wakeUp(this::ask);
            }
        });
    }

    /** A message has arrived: another request may succeed now, or a release elsewhere has granted the lock. */
    @Override
    public void signaled() {
        postAhead(() -> wakeUp(this::takeGrantOrAsk));
    }

    /** A holder of this client has released the lock for other clients, or has lost it. */
    void releasedHere() {
        post(() -> wakeUp(this::ask));
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
        rooms.counters.wokenBySignal.increment();
        Waiter head = waiters.head();
        Optional<Grant> grant = head == null ? Optional.empty() : place.takeGrant(head);
        if (head != null && grant.isPresent()) {
            last = null;
            give(head, grant.get(), true);
        } else {
            ask();
        }
    }

    /** Sets the alarm. An alarm that is already set moves only to an earlier time, until it rings or is stopped. */
    private void sleepUntil(long moment) {
        if (alarm == null || alarmAt - moment > 0) {
            stopAlarm();
            alarmAt = moment;
            alarm = rooms.timer.after(moment - rooms.ticker.now(), this::alarmRang);
        }
    }

    private void stopAlarm() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }

    /**
     * The alarm of a sleeping room has rung, possibly just after it was stopped. If another one was set since, the room may ask once too often.
     */
    void alarmRang() {
        post(() -> {
            if (alarm != null) {
                ring();
            }
        });
    }

    /** Called when the alarm rings or should have rung by now. */
    private void ring() {
        stopAlarm();
        boolean awaited = phase == Phase.AWAITING_LOCAL_RELEASE;
        phase = Phase.IDLE;
        Waiter head = waiters.head();
        if (head != null && awaited) {
            begin(head);
        } else if (head != null) {
            if (last != null && last.isBusy()) {
                rooms.counters.wokenByPoll.increment();
            }
            ask();
        }
    }
}
