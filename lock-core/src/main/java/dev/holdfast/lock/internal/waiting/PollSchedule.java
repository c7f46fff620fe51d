package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.waiting.Answer.Busy;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When a room asks again although nothing wakes it. The moment depends on the last answer, on whether messages arrive, and on how many rooms
 * the client has. It never depends on who waits: where waiters come and go faster than the poll interval, a moment that moved with each of
 * them would never come.
 *
 * <ul>
 *   <li>Busy: near the head of the queue, the end of the holder's lease or the poll interval, whichever is first; further back, 2 to 2.5 s,
 *       which keeps the place, or longer where this client waits for thousands of locks. Without messages, the room sleeps 20 ms plus as long
 *       as it has known this holder, at most 500 ms, so a lock that was held for a time t is found free at most t + 20 ms after its release.
 *   <li>Unknown: 10 ms, twice as long each time, up to 160 ms.
 *   <li>Held by this client: the poll interval.
 * </ul>
 *
 * @param pollNanos how long a room near the head sleeps at most
 * @param rooms how many rooms the client has
 * @param chance a number between two others: clients that were refused together do not ask again together
 */
record PollSchedule(long pollNanos, LongSupplier rooms, DoubleBinaryOperator chance) {

    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MOST_DOUBLINGS = 5;
    private static final long FIRST_SLEEP_WITHOUT_MESSAGES = TimeUnit.MILLISECONDS.toNanos(20);
    /** A subscription is confirmed after a round trip. */
    private static final long FIRST_SLEEP_WHILE_SUBSCRIBING = TimeUnit.MILLISECONDS.toNanos(200);
    /** A release grants to a place that cannot hear for a second after its request. Until the next request, nobody uses the lock. */
    private static final long LONGEST_SLEEP_WITHOUT_MESSAGES = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    /** However many rooms a client has, together they ask no more than 5,000 times a second on their own. */
    private static final long FOR_EACH_ROOM = TimeUnit.MICROSECONDS.toNanos(200);

    private static final long FAR_SLEEP = TimeUnit.MILLISECONDS.toNanos(2_500);

    /** Whether a room hears of releases. */
    enum Messages {
        ARRIVE,
        /** A subscription has been sent, and is not confirmed. */
        EXPECTED,
        /** Only a request finds a lock that is free, or was granted to this client. */
        NONE
    }

    /**
     * The last answer of a room that does not have the lock.
     *
     * @param answer busy or unknown
     * @param at when it came
     * @param busy the last answer that named a holder, since this client had the lock; null if there was none
     * @param heldSince when a holder was first known to be the one of the last busy answer
     * @param failures how many answers since the last busy one were unknown
     * @param chance from 0 to 1
     */
    record Refusal(Answer answer, long at, @Nullable Busy busy, long heldSince, int failures, float chance) {

        boolean isBusy() {
            return answer instanceof Busy;
        }

        /** Whether Redis said that somebody else has the lock. */
        boolean namesAnother(String owner) {
            return answer instanceof Busy named
                    && named.holder() != null
                    && !named.holder().equals(owner);
        }

        private double between(double from, double to) {
            return from + chance * (to - from);
        }
    }

    /**
     * Takes in an answer.
     *
     * @param before the last refusal; null if there is none, or this client has had the lock since
     */
    Refusal refused(@Nullable Refusal before, Answer answer, long now) {
        float drawn = (float) chance.applyAsDouble(0, 1);
        Busy known = before == null ? null : before.busy;
        long heldSince = before == null ? now : before.heldSince;
        int failures = before == null ? 0 : before.failures;
        if (!(answer instanceof Busy busy)) {
            return new Refusal(answer, now, known, heldSince, failures + 1, drawn);
        }
        boolean isSameHolder = known != null && Objects.equals(known.holder(), busy.holder());
        return new Refusal(busy, now, busy, isSameHolder ? heldSince : now, 0, drawn);
    }

    /** The moment at which to ask again. */
    long askAt(Refusal last, Messages messages) {
        return last.at
                + (last.answer instanceof Busy busy
                        ? sleep(last, busy, messages)
                        : FIRST_BACKOFF << Math.min(last.failures, MOST_DOUBLINGS));
    }

    /** The moment at which to ask again where this client has the lock. */
    long askAtWhileHeldHere(long now) {
        return now + (long) (pollNanos * chance.applyAsDouble(0.9, 1));
    }

    private long sleep(Refusal last, Busy busy, Messages messages) {
        long count = rooms.getAsLong();
        if (!busy.nearHead() && messages == Messages.ARRIVE) {
            return (long) (farSleepNanos(count) * last.between(0.8, 1));
        }
        long poll = (long) (pollNanos * last.between(0.9, 1));
        long longest = Math.max(Math.min(poll, farSleepNanos(count)), leastSleepNanos(count));
        if (messages != Messages.ARRIVE) {
            longest = Math.min(longest, Math.max(sleepWithoutMessages(last, messages), leastSleepNanos(count)));
        }
        // A millisecond more: Redis drops a key at the end of its last millisecond.
        return Math.min(busy.retryAfterNanos(), longest) + A_MILLISECOND;
    }

    private static long sleepWithoutMessages(Refusal last, Messages messages) {
        long first = messages == Messages.EXPECTED ? FIRST_SLEEP_WHILE_SUBSCRIBING : FIRST_SLEEP_WITHOUT_MESSAGES;
        return Math.min(last.at - last.heldSince + first, LONGEST_SLEEP_WITHOUT_MESSAGES);
    }

    /** The least time between two requests of one room that no message brought. */
    private static long leastSleepNanos(long rooms) {
        return rooms * FOR_EACH_ROOM;
    }

    /** The same for a room that is not near the head of its queue. */
    private static long farSleepNanos(long rooms) {
        return Math.max(FAR_SLEEP, leastSleepNanos(rooms));
    }

    /** For how long a place in the queue is taken for alive: twice as long as the longest sleep between two requests. */
    static long placeLifetimeMillis(long rooms) {
        return TimeUnit.NANOSECONDS.toMillis(2 * farSleepNanos(rooms));
    }
}
