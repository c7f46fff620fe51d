package dev.holdfast.lock.internal.waiting;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of a room, in order of arrival. They are linked to each other, so that the list needs no memory of its own for each waiter. Any thread
 * may use the count; only the events of the room use the list.
 */
final class Waiters {

    private static final int ENDED = -1;
    private static final AtomicIntegerFieldUpdater<Waiters> COUNT =
            AtomicIntegerFieldUpdater.newUpdater(Waiters.class, "count");

    /** The number of waiters in the list, plus those that are about to enter it. {@link #ENDED} if nobody can enter any more. */
    private volatile int count;

    private @Nullable Waiter first;
    private @Nullable Waiter last;
    private boolean someOverdue;

    int count() {
        return Math.max(0, count);
    }

    /** Counts a waiter that is about to enter. Returns false if nobody can enter any more. */
    boolean expect() {
        int before;
        do {
            before = count;
        } while (before != ENDED && !COUNT.compareAndSet(this, before, before + 1));
        return before != ENDED;
    }

    /** Prevents any further entry. Returns false if a waiter is here or about to enter, or if entries were already prevented. */
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

    /** Returns the first waiter that has not given up. */
    @Nullable
    Waiter head() {
        while (first != null && !first.isWaiting()) {
            remove(first);
        }
        return first;
    }

    /** Returns the first waiters that have not given up, at most the given number. */
    List<Waiter> first(int most) {
        List<Waiter> found = new ArrayList<>();
        for (Waiter waiter = first; waiter != null && found.size() < most; waiter = waiter.behind) {
            if (waiter.isWaiting()) {
                found.add(waiter);
            }
        }
        return found;
    }

    void remove(Waiter waiter) {
        if (unlink(waiter)) {
            left(waiter);
        }
    }

    /** Removes a waiter from the list, which still counts as here. Returns false if the waiter is no longer in the list. */
    boolean unlink(Waiter waiter) {
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

    /** Called when a waiter that is not in the list any more has left. */
    void left(Waiter waiter) {
        waiter.cancelDeadline();
        COUNT.decrementAndGet(this);
    }

    /** Called when a waiter stays although its wait is over. */
    void staysOverdue() {
        someOverdue = true;
    }

    boolean isSomeOverdue() {
        return someOverdue;
    }

    /** Removes the waiters whose waits are over from the list. They still count as here. */
    List<Waiter> takeOverdue() {
        someOverdue = false;
        return take(waiter -> waiter.overdue);
    }

    /** Removes all waiters from the list. They still count as here. */
    List<Waiter> takeAll() {
        return take(waiter -> true);
    }

    private List<Waiter> take(Predicate<Waiter> which) {
        List<Waiter> taken = new ArrayList<>();
        for (Waiter waiter = first; waiter != null; ) {
            Waiter behind = waiter.behind;
            if (which.test(waiter)) {
                unlink(waiter);
                taken.add(waiter);
            }
            waiter = behind;
        }
        return taken;
    }
}
