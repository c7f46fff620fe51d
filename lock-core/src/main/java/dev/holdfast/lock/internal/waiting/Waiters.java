package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.WaitingLock;
import dev.holdfast.lock.internal.lease.HeldLease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of a room, in order of arrival, and how each of them ends. They are linked to each other, so that a waiter takes no memory beside
 * its own. Only the count is for any thread; the rest is for the events of the room.
 */
final class Waiters {

    private static final int ENDED = -1;

    private static final AtomicIntegerFieldUpdater<Waiters> COUNT =
            AtomicIntegerFieldUpdater.newUpdater(Waiters.class, "count");

    private final WaitingRoom room;

    /** How many want to be here, whether they are in the list yet or not; {@link #ENDED} if nobody can come any more. */
    private volatile int count;

    private @Nullable Waiter first;
    private @Nullable Waiter last;
    private boolean someOverdue;

    Waiters(WaitingRoom room) {
        this.room = room;
    }

    int count() {
        return Math.max(0, count);
    }

    /** Counts a waiter that is about to come. Returns false if nobody can come any more. */
    boolean expect() {
        int before;
        do {
            before = count;
        } while (before != ENDED && !COUNT.compareAndSet(this, before, before + 1));
        return before != ENDED;
    }

    /** From now on nobody can come. Returns false if somebody is here or about to come, or it was so already. */
    boolean end() {
        return COUNT.compareAndSet(this, 0, ENDED);
    }

    boolean haveEnded() {
        return count == ENDED;
    }

    boolean isEmpty() {
        return first == null;
    }

    void add(Waiter waiter) {
        Waiter before = last;
        waiter.before = before;
        if (before == null) {
            first = waiter;
        } else {
            before.behind = waiter;
        }
        last = waiter;
        someOverdue |= waiter.overdue;
    }

    /** The first that has not given up. */
    @Nullable
    Waiter head() {
        while (first != null && !first.isWaiting()) {
            remove(first);
        }
        return first;
    }

    /** Those who came first and have not given up. */
    List<Waiter> first(int most) {
        List<Waiter> found = new ArrayList<>();
        for (Waiter waiter = first; waiter != null && found.size() < most; waiter = waiter.behind) {
            if (waiter.isWaiting()) {
                found.add(waiter);
            }
        }
        return found;
    }

    List<WaitingLock> describe(int most, long now) {
        return first(most).stream()
                .map(waiter -> waiter.describe(room.lock, now))
                .toList();
    }

    void remove(Waiter waiter) {
        if (unlink(waiter)) {
            leave(waiter);
        }
    }

    /** Returns false if it is not here any more. */
    private boolean unlink(Waiter waiter) {
        Waiter before = waiter.before;
        Waiter behind = waiter.behind;
        if (before == null && first != waiter) {
            return false;
        }
        if (before == null) {
            first = behind;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        waiter.before = null;
        waiter.behind = null;
        return true;
    }

    private void leave(Waiter waiter) {
        waiter.cancelDeadline();
        COUNT.decrementAndGet(this);
    }

    void setDeadline(Waiter waiter) {
        waiter.setDeadline(room.rooms.timer, room.rooms.ticker, () -> room.post(new Event.DeadlinePassed(waiter)));
    }

    /** What is under way decides, also for a waiter whose time is over; within a limit, because the answer may lead to another request. */
    void stayForAnswer(Waiter waiter) {
        setDeadline(waiter);
        if (waiter.overdue) {
            someOverdue = true;
            waiter.setLimit(
                    room.rooms.timer,
                    room.rooms.ticker,
                    room.lock.longestAnswerNanos(),
                    () -> room.post(new Event.LimitPassed(waiter)));
        }
    }

    void serve(Waiter waiter, HeldLease lease) {
        remove(waiter);
        if (isEmpty()) {
            // Before its caller goes on: its release finds nobody here, and its next call another room.
            room.end();
        }
        waiter.serve(lease);
    }

    void refuse(Waiter waiter, @Nullable Answer answer) {
        if (unlink(waiter)) {
            refused(waiter, answer);
        }
    }

    /** It is not in the list, or not any more. */
    void refused(Waiter waiter, @Nullable Answer answer) {
        leave(waiter);
        waiter.refuse(answer, room.lock);
    }

    void refuseOverdue(@Nullable Answer answer) {
        if (someOverdue) {
            someOverdue = false;
            refuse(waiter -> waiter.overdue, answer);
        }
    }

    void refuseAll(@Nullable Answer answer) {
        refuse(waiter -> true, answer);
    }

    /** Posts each refusal as an event of its own, so that no thread tells all of many waiters. */
    private void refuse(Predicate<Waiter> which, @Nullable Answer answer) {
        for (Waiter waiter = first; waiter != null; ) {
            Waiter behind = waiter.behind;
            if (which.test(waiter)) {
                unlink(waiter);
                room.post(new Event.Refused(waiter, answer));
            }
            waiter = behind;
        }
    }
}
