package dev.holdfast.lock.waiting;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a room may sleep whose subscription Redis has refused, so that no release can wake it. Short at first, since most locks are held
 * briefly, and twice as long each time: a head that has waited for some time finds a free lock after as much again at the most, and asks
 * only a few times more often than one that hears. Each new head begins anew. Used behind the room's {@link Mailbox}.
 */
final class DeafSleep {

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Twenty seconds: beyond any poll interval that makes sense without signals. */
    private static final int MOST_DOUBLINGS = 10;

    private boolean deaf;
    private int repeats;
    private @Nullable Waiter head;

    /** The subscription was refused. */
    void begin() {
        deaf = true;
    }

    /** A question is put for that head. */
    void asksFor(Waiter asker) {
        repeats = asker == head ? repeats + 1 : 0;
        head = asker;
    }

    /** How long that head may sleep where one that hears would sleep so long. */
    long atMost(long pollNanos, Waiter sleeper) {
        int doublings = sleeper == head ? Math.min(repeats, MOST_DOUBLINGS) : 0;
        return deaf ? Math.min(pollNanos, FIRST_NANOS << doublings) : pollNanos;
    }
}
