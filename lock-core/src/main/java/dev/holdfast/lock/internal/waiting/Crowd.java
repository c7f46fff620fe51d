package dev.holdfast.lock.internal.waiting;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many rooms a client has, and so how often each of them may ask on its own: together no more than 5,000 times a second. Their places in
 * line are taken for alive for twice as long as the longest sleep between two questions.
 */
final class Crowd {

    private static final long FAR_SLEEP = TimeUnit.MILLISECONDS.toNanos(2_500);
    private static final long FOR_EACH_ROOM = TimeUnit.MICROSECONDS.toNanos(200);

    private final LongSupplier rooms;

    Crowd(LongSupplier rooms) {
        this.rooms = rooms;
    }

    /** The least time between two questions of one room that no signal brought. */
    long leastSleepNanos() {
        return rooms.getAsLong() * FOR_EACH_ROOM;
    }

    /** The same for a room that is not near the head of its line. */
    long farSleepNanos() {
        return Math.max(FAR_SLEEP, leastSleepNanos());
    }

    long patienceMillis() {
        return TimeUnit.NANOSECONDS.toMillis(2 * farSleepNanos());
    }
}
