package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.SerialQueue;
import dev.holdfast.lock.internal.lease.HeldLease;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The waiters of a room, in order of arrival, and how each of them ends. Used behind the room's {@link SerialQueue}. */
final class Arrivals {

    /** Small at first: thousands of rooms may have one waiter each. */
    private final Set<Waiter> waiters = new LinkedHashSet<>(2);

    private final WaitableLock grants;
    /** Runs each of many refusals behind what is going on, so that no single caller does all of them. */
    private final Executor later;

    private final Runnable onLeave;
    private boolean someOverdue;

    Arrivals(WaitableLock grants, Executor later, Runnable onLeave) {
        this.grants = grants;
        this.later = later;
        this.onLeave = onLeave;
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** Those who came first and have not given up. */
    List<Waiter> first(int most) {
        return waiters.stream().filter(Waiter::isWaiting).limit(most).toList();
    }

    void add(Waiter waiter) {
        waiters.add(waiter);
        someOverdue |= waiter.overdue;
    }

    /** Its time is over; it stays for the answer that is on its way. */
    void letAnswerDecide() {
        someOverdue = true;
    }

    /** The first that has not given up. */
    @Nullable
    Waiter head() {
        while (!waiters.isEmpty()) {
            Waiter head = waiters.iterator().next();
            if (head.isWaiting()) {
                return head;
            }
            gone(head);
        }
        return null;
    }

    /** Answers whether it was still here. */
    boolean gone(Waiter waiter) {
        boolean present = waiters.remove(waiter);
        if (present) {
            leave(waiter);
        }
        return present;
    }

    void serve(Waiter waiter, HeldLease lease) {
        waiters.remove(waiter);
        waiter.serve(lease);
        leave(waiter);
    }

    void refuseOverdue(@Nullable Answer lastAnswer) {
        if (someOverdue) {
            someOverdue = false;
            refuse(waiter -> waiter.overdue, lastAnswer);
        }
    }

    void refuseAll(@Nullable Answer lastAnswer) {
        refuse(waiter -> true, lastAnswer);
    }

    private void refuse(Predicate<Waiter> which, @Nullable Answer lastAnswer) {
        List<Waiter> refused = new ArrayList<>();
        waiters.removeIf(waiter -> which.test(waiter) && refused.add(waiter));
        refused.forEach(waiter -> later.execute(() -> refuseRemoved(waiter, lastAnswer)));
    }

    void refuse(Waiter waiter, @Nullable Answer lastAnswer) {
        if (waiters.remove(waiter)) {
            refuseRemoved(waiter, lastAnswer);
        }
    }

    private void refuseRemoved(Waiter waiter, @Nullable Answer lastAnswer) {
        leave(waiter);
        waiter.refuse(lastAnswer, grants);
    }

    private void leave(Waiter waiter) {
        waiter.cancelDeadline();
        onLeave.run();
    }
}
