package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.lease.Answer;
import dev.holdfast.lock.internal.lease.Answer.Busy;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a room asks again although nothing has woken it. The time depends on the last answer, on whether messages arrive, and on how many
 * rooms the client has. It never depends on the individual waiters: if waiters come and go faster than the poll interval, a time that moved with each
 * of them would never come.
 *
 * <ul>
 *   <li>After a busy answer, a room near the head of the queue sleeps until the end of the holder's lease or for the poll interval, whichever is
 *       shorter. A room further back sleeps for 2 to 2.5 s, which keeps its place, or longer if this client waits for thousands of locks. Without
 *       messages, the room sleeps for 20 ms plus the time for which it has known the holder, at most 500 ms. So a lock that was held for a time t is
 *       found free at most t + 20 ms after its release.
 *   <li>After an unknown answer, the room sleeps for 10 ms, then twice as long each time, up to 160 ms.
 *   <li>While this client has the lock, the room sleeps for the poll interval.
 * </ul>
 *
 * @param pollNanos the longest sleep of a room near the head
 * @param rooms supplies the number of rooms of the client
 * @param chance returns a random number between two others, so that clients that were refused together do not ask again together
 */
public record PollSchedule(long pollNanos, LongSupplier rooms, DoubleBinaryOperator chance) {

    /** How long a place counts as alive without a new request, in ms, unless its client waits for thousands of locks. */
    public static final long USUAL_LIFETIME_MILLIS = 5_000;

    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MOST_DOUBLINGS = 5;
    private static final long FIRST_SLEEP_WITHOUT_MESSAGES = TimeUnit.MILLISECONDS.toNanos(20);
    /** The first sleep while a subscription is not confirmed. The confirmation normally takes one round trip. */
    public static final long FIRST_SLEEP_WHILE_SUBSCRIBING = TimeUnit.MILLISECONDS.toNanos(200);
    /**
     * The longest sleep without messages. For one second after a place's request, a release may grant the lock to the place even if no messages
     * arrive. Until the next request, nobody uses such a grant.
     */
    public static final long LONGEST_SLEEP_WITHOUT_MESSAGES = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * The shortest time between two requests of a room, divided by the number of the client's rooms. So all rooms together send at most 5,000 such
     * requests a second.
     */
    private static final long FOR_EACH_ROOM = TimeUnit.MICROSECONDS.toNanos(200);

    /** So the client of a live place asks twice in its lifetime. */
    public static final long FAR_SLEEP = TimeUnit.MILLISECONDS.toNanos(USUAL_LIFETIME_MILLIS) / 2;

    /** Whether messages about releases reach a room. */
    enum Messages {
        ARRIVE,
        /** A subscription has been sent but is not confirmed. */
        EXPECTED,
        /** No messages arrive. Only a request can find out that the lock is free or was granted to this client. */
        NONE
    }

    /**
     * The last answer of a room that does not have the lock.
     *
     * @param answer a busy or unknown answer
     * @param at when the answer came
     * @param busy the last busy answer since this client had the lock, or null
     * @param heldSince when the holder in the last busy answer was first known
     * @param failures the number of unknown answers since the last busy answer
     * @param chance a random number from 0 to 1
     */
    record Refusal(Answer answer, long at, @Nullable Busy busy, long heldSince, int failures, float chance) {

        boolean isBusy() {
            return answer instanceof Busy;
        }

        /** Returns whether Redis named an owner other than the given one. */
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
     * Returns the refusal that results from a new answer.
     *
     * @param before the last refusal, or null if there is none or this client has had the lock since
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

    /** Returns the time at which to ask again. */
    long askAt(Refusal last, Messages messages) {
        return last.at
                + (last.answer instanceof Busy busy
                        ? sleep(last, busy, messages)
                        : FIRST_BACKOFF << Math.min(last.failures, MOST_DOUBLINGS));
    }

    /** Returns the time at which to ask again if this client has the lock. */
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
        // Adds a millisecond, because Redis drops a key at the end of its last millisecond.
        return Math.min(busy.retryAfterNanos(), longest) + A_MILLISECOND;
    }

    private static long sleepWithoutMessages(Refusal last, Messages messages) {
        long first = messages == Messages.EXPECTED ? FIRST_SLEEP_WHILE_SUBSCRIBING : FIRST_SLEEP_WITHOUT_MESSAGES;
        return Math.min(last.at - last.heldSince + first, LONGEST_SLEEP_WITHOUT_MESSAGES);
    }

    /** Returns the shortest time between two requests of one room that no message has caused. */
    private static long leastSleepNanos(long rooms) {
        return rooms * FOR_EACH_ROOM;
    }

    /** Returns the longest sleep of a room that is not near the head of its queue. */
    private static long farSleepNanos(long rooms) {
        return Math.max(FAR_SLEEP, leastSleepNanos(rooms));
    }

    /** Returns how long a place in the queue counts as alive: twice the longest sleep between two requests. */
    static long placeLifetimeMillis(long rooms) {
        return TimeUnit.NANOSECONDS.toMillis(2 * farSleepNanos(rooms));
    }
}
