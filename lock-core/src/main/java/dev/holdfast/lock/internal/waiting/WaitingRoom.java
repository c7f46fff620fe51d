package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.background.SerialQueue;
import dev.holdfast.lock.internal.lease.Grant;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the threads of one client wait for one lock, in order of arrival. Only the room asks Redis, one question at a time and on behalf of
 * its head; the others cost nothing there. A grant that comes goes to the waiter that is head by then, so a waiter that leaves takes nothing with it.
 *
 * <p>A room that is refused has a place in the lock's line. It makes sure that it hears of releases, asks once more if it did not hear of
 * them before, then sleeps until a signal or the moment that its {@link LastAnswer} gives, whichever is first. A signal brings the grant that a
 * release elsewhere has made, or the room asks. A lost signal costs one poll. Waiters who arrive or leave meanwhile do not move that moment.
 *
 * <p>While somebody waits, a question or a grant's confirmation is on its way, or the alarm is set. Everything here runs behind the room's
 * {@link SerialQueue}.
 */
final class WaitingRoom implements WaitingRooms.RoomEntry {

    final WaitableLock grants;
    final GrantSource source;
    final SerialQueue queue;
    final Arrivals arrivals;
    final LastAnswer lastAnswer;
    final WakeUps wakeUps;
    final PendingQuestions questions;

    final WaitingRooms rooms;
    private final RoomId id;

    /** How many want to be here, counted by {@link WaitingRooms}, which drops an empty room. */
    final AtomicInteger waiters = new AtomicInteger();

    /** Creates an empty room, or one with a waiter whose question is on its way: {@link PendingQuestions#answered} will bring the answer. */
    WaitingRoom(WaitingRooms rooms, RoomId id, WaitableLock grants, GrantSource source, @Nullable Waiter asker) {
        this.rooms = rooms;
        this.id = id;
        this.grants = grants;
        this.source = source;
        this.queue = SerialQueue.onPosters(rooms.ownThreads);
        this.lastAnswer = new LastAnswer(rooms.ticker, rooms.pollNanos, rooms::count, rooms.chance);
        this.arrivals = new Arrivals(grants, queue::post, this::left);
        this.wakeUps = new WakeUps(this);
        this.questions = new PendingQuestions(this);
        if (asker != null) {
            waiters.set(1);
            arrivals.add(asker);
            questions.expect();
        }
        source.onSignal(() -> queue.post(wakeUps::signal));
    }

    @Override
    public int waiters() {
        return waiters.get();
    }

    /** A waiter has gone, one way or another. */
    private void left() {
        boolean empty = arrivals.isEmpty();
        if (empty) {
            wakeUps.rest();
        }
        rooms.waiterLeft(id, this);
        if (empty) {
            source.leaveQueue();
        }
    }

    void enter(Waiter waiter) {
        queue.post(() -> {
            boolean first = arrivals.isEmpty();
            arrivals.add(waiter);
            if (!questions.areUnanswered() && first) {
                wakeUps.begin(waiter);
            } else if (!questions.areUnanswered() && waiter.overdue && !wakeUps.isDue()) {
                arrivals.refuse(waiter, lastAnswer.get());
            } else {
                // What is on its way decides, for a waiter that tries once as for the head.
                setDeadline(waiter);
                if (waiter.overdue) {
                    setLimit(waiter);
                }
                if (wakeUps.isDue()) {
                    wakeUps.ring();
                }
            }
        });
    }

    /** A waiter settled its own result, by giving up. */
    void left(Waiter waiter) {
        queue.post(() -> {
            if (arrivals.gone(waiter)) {
                settle();
            }
        });
    }

    /** The lock was released for other clients although somebody waits here: asks for the next turn. */
    void askAgain() {
        queue.post(() -> {
            if (questions.areUnanswered()) {
                // The answer may be older than the release.
                wakeUps.remember(true);
            } else {
                ask();
            }
        });
    }

    /** Passes a released grant on to the next waiter, in memory. The outcome comes before that: the release is reported before the next acquisition. */
    void pass(Grant grant, Consumer<Boolean> outcome) {
        queue.post(() -> {
            Waiter next = arrivals.head();
            if (next == null
                    || questions.isGrantFitted()
                    || lastAnswer.namesAnother(grant.owner())
                    || !grants.mayHandOver(grant, next.terms())) {
                outcome.accept(false);
                return;
            }
            outcome.accept(true);
            lastAnswer.granted();
            give(next, grant, true);
            decided();
        });
    }

    void ask() {
        Waiter head = arrivals.head();
        if (head != null) {
            wakeUps.remember(false);
            wakeUps.stop();
            questions.ask(head);
        }
    }

    void give(Waiter next, Grant grant, boolean passedOn) {
        arrivals.serve(next, grants.hold(grant, next, passedOn));
        if (isShared()) {
            questions.askForOthers();
        }
    }

    /** Whether several may have it at once, each by a grant that only its asker can hold. */
    boolean isShared() {
        return grants.kind() == LockKind.READ;
    }

    /** What was on its way has come: those whose time is over are refused, unless there is more to come. */
    void decided() {
        if (!questions.areUnanswered()) {
            arrivals.refuseOverdue(lastAnswer.get());
            settle();
        }
    }

    /** After anything has happened: sees to it that a waiting head will ask again. */
    void settle() {
        Waiter head = arrivals.head();
        if (!questions.areUnanswered() && head != null) {
            setDeadline(head);
            wakeUps.plan();
        }
    }

    /** The alarm rang although nobody is here: the room was kept for those who come back. */
    void emptied() {
        rooms.emptied(id, this);
    }

    void setDeadline(Waiter waiter) {
        waiter.setDeadline(rooms.timer, rooms.ticker, () -> queue.post(() -> deadlineCame(waiter)));
    }

    /** A question that is on its way is answered within a command timeout, and decides. */
    private void deadlineCame(Waiter waiter) {
        waiter.overdue = true;
        if (questions.areUnanswered()) {
            arrivals.letAnswerDecide();
            setLimit(waiter);
        } else if (waiter.isWaiting()) {
            arrivals.refuse(waiter, lastAnswer.get());
            settle();
        }
    }

    private void setLimit(Waiter waiter) {
        waiter.setLimit(
                rooms.timer,
                rooms.ticker,
                grants.longestAnswerNanos(),
                () -> queue.post(() -> arrivals.refuse(waiter, new Unknown(grants.unanswered(), true))));
    }

    /** The first waiters, in order of arrival, with the time that each has waited until then. */
    CompletableFuture<List<WaitingLock>> waiting(int most, long now) {
        return queue.query(() -> arrivals.first(most).stream()
                .map(waiter -> waiter.describe(grants, now))
                .toList());
    }

    /** Called when nobody can come any more. */
    void shut() {
        queue.post(() -> {
            wakeUps.stop();
            source.close();
        });
    }

    /** The client closes. */
    void refuseEverybody() {
        queue.post(() -> {
            lastAnswer.refused(new Unknown(grants.closed(), false));
            arrivals.refuseAll(lastAnswer.get());
        });
    }
}
