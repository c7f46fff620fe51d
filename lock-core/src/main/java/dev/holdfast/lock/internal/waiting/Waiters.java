package dev.holdfast.lock.internal.waiting;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiters of a room, in order of arrival. Any thread may use the count; only the events of the room use the waiters. */
final class Waiters {

    private static final int ENDED = -1;
    private static final AtomicIntegerFieldUpdater<Waiters> COUNT =
            AtomicIntegerFieldUpdater.newUpdater(Waiters.class, "count");

    /** The number of waiters in the set, plus those that are about to enter it. {@link #ENDED} if nobody can enter any more. */
    private volatile int count;

    private final Set<Waiter> present = new LinkedHashSet<>();
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
        return present.isEmpty();
    }

    void add(Waiter waiter) {
        present.add(waiter);
        someOverdue |= waiter.overdue;
    }

    /** Returns the first waiter that has not given up. */
    @Nullable
    Waiter head() {
        for (Iterator<Waiter> each = present.iterator(); each.hasNext(); ) {
            Waiter first = each.next();
            if (first.isWaiting()) {
                return first;
            }
            each.remove();
            left(first);
        }
        return null;
    }

    /** Returns the first waiters that have not given up, at most the given number. */
    List<Waiter> first(int most) {
        return present.stream().filter(Waiter::isWaiting).limit(most).toList();
    }

    void remove(Waiter waiter) {
        if (unlink(waiter)) {
            left(waiter);
        }
    }

    /** Removes a waiter from the set, which still counts as here. Returns false if the waiter is no longer in the set. */
    boolean unlink(Waiter waiter) {
        return present.remove(waiter);
    }

    /** Called when a waiter that is not in the set any more has left. */
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

    /** Removes the waiters whose waits are over from the set. They still count as here. */
    List<Waiter> takeOverdue() {
        someOverdue = false;
        return take(waiter -> waiter.overdue);
    }

    /** Removes all waiters from the set. They still count as here. */
    List<Waiter> takeAll() {
        return take(waiter -> true);
    }

    private List<Waiter> take(Predicate<Waiter> which) {
        List<Waiter> taken = present.stream().filter(which).toList();
        taken.forEach(present::remove);
        return taken;
    }
}
