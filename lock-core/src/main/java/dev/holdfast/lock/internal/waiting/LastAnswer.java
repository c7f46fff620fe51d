package dev.holdfast.lock.internal.waiting;

import dev.holdfast.lock.internal.background.SerialQueue;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.waiting.Answer.Busy;
import dev.holdfast.lock.internal.waiting.Answer.Unknown;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a room knows about its lock, and when to ask again because of it. That moment is set when an answer comes. It depends on the lock
 * only, never on who waits: where waiters come and go faster than the poll interval, a moment that moved with each of them would never come.
 *
 * <ul>
 *   <li>Busy: near the head of the line, the end of the holder's lease or the poll interval, whichever is first; further back, 2 to 2.5 s,
 * which keeps the place, or longer where this client waits for thousands of locks. Without signals, the room sleeps 20 ms plus as long as it
 * has known this holder, at most 500 ms, so it finds a lock that was
 *       held for a time t free at most t + 20 ms after its release.
 *   <li>Unknown: 10 ms, twice as long each time, up to 160 ms.
 *   <li>Held by this client: the poll interval.
 * </ul>
 *
 * <p>Used behind the room's {@link SerialQueue}.
 */
final class LastAnswer {

    private static final long FIRST_BACKOFF = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MOST_DOUBLINGS = 5;
    private static final long FIRST_SLEEP_WITHOUT_SIGNALS = TimeUnit.MILLISECONDS.toNanos(20);
    /** A subscription is confirmed after a round trip. */
    private static final long FIRST_SLEEP_WHILE_SUBSCRIBING = TimeUnit.MILLISECONDS.toNanos(200);
    /** A release grants to a place that cannot hear for a second after its request. Until the next request, nobody uses the lock. */
    private static final long LONGEST_SLEEP_WITHOUT_SIGNALS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    private final Ticker ticker;
    private final LongSupplier rooms;
    private final DoubleBinaryOperator chance;
    private final long pollNanos;

    /** However many rooms a client has, together they ask no more than 5,000 times a second on their own. */
    private static final long FOR_EACH_ROOM = TimeUnit.MICROSECONDS.toNanos(200);

    private static final long FAR_SLEEP = TimeUnit.MILLISECONDS.toNanos(2_500);

    private @Nullable Answer answer;
    private int failures;
    private boolean withoutSignals;
    private boolean subscribing;

    /** Whether somebody is known to hold the lock, who that is if Redis said so, and when that was first said. */
    private boolean isHeld;

    private @Nullable String holder;
    private long holderSince;
    private long askAt;

    LastAnswer(Ticker ticker, long pollNanos, LongSupplier rooms, DoubleBinaryOperator chance) {
        this.ticker = ticker;
        this.rooms = rooms;
        this.pollNanos = pollNanos;
        this.chance = chance;
    }

    /** The least time between two questions of one room that no signal brought. */
    private static long leastSleepNanos(long rooms) {
        return rooms * FOR_EACH_ROOM;
    }

    /** The same for a room that is not near the head of its line. */
    private static long farSleepNanos(long rooms) {
        return Math.max(FAR_SLEEP, leastSleepNanos(rooms));
    }

    /** For how long a place in line is taken for alive: twice as long as the longest sleep between two questions. */
    static long placeLifetimeMillis(long rooms) {
        return TimeUnit.NANOSECONDS.toMillis(2 * farSleepNanos(rooms));
    }

    /** What to tell a waiter that leaves without the lock; null if this client has it. */
    @Nullable
    Answer get() {
        return answer;
    }

    boolean isBusy() {
        return answer instanceof Busy;
    }

    /** Whether Redis said that somebody else holds the lock. */
    boolean namesAnother(String owner) {
        return answer instanceof Busy busy
                && busy.holder() != null
                && !busy.holder().equals(owner);
    }

    /** The moment at which to ask again. */
    long askAt() {
        return askAt;
    }

    /** The lock was not granted. */
    void refused(Answer refusal) {
        answer = refusal;
        failures = refusal instanceof Unknown ? failures + 1 : 0;
        if (refusal instanceof Busy busy) {
            if (!isHeld || !Objects.equals(holder, busy.holder())) {
                holderSince = ticker.now();
            }
            isHeld = true;
            holder = busy.holder();
        }
        plan();
    }

    /** This client has the lock. */
    void granted() {
        answer = null;
        isHeld = false;
        holder = null;
        failures = 0;
        plan();
    }

    /**
     * Whether releases are heard at present. If not, only asking finds a lock that is free, or was granted to this client.
     *
     * @param onTheirWay whether a subscription has been sent and not been answered
     */
    void signals(boolean heard, boolean onTheirWay) {
        boolean changes = withoutSignals == heard || subscribing != onTheirWay;
        withoutSignals = !heard;
        subscribing = onTheirWay;
        if (changes && !heard) {
            plan();
        }
    }

    private void plan() {
        long now = ticker.now();
        askAt = now + (answer instanceof Unknown ? FIRST_BACKOFF << Math.min(failures, MOST_DOUBLINGS) : sleep(now));
    }

    private long sleep(long now) {
        long poll = (long) (pollNanos * chance.applyAsDouble(0.9, 1.0));
        if (!(answer instanceof Busy busy)) {
            return poll;
        }
        long count = rooms.getAsLong();
        poll = Math.max(Math.min(poll, farSleepNanos(count)), leastSleepNanos(count));
        if (!busy.nearHead() && !withoutSignals) {
            return (long) (farSleepNanos(count) * chance.applyAsDouble(0.8, 1.0));
        }
        long longest = withoutSignals ? Math.min(poll, sleepWithoutSignals(now, count)) : poll;
        // A millisecond more: Redis drops a key at the end of its last millisecond.
        return Math.min(busy.retryAfterNanos(), longest) + A_MILLISECOND;
    }

    private long sleepWithoutSignals(long now, long count) {
        long first = subscribing ? FIRST_SLEEP_WHILE_SUBSCRIBING : FIRST_SLEEP_WITHOUT_SIGNALS;
        long sleep = Math.min(now - holderSince + first, LONGEST_SLEEP_WITHOUT_SIGNALS);
        return Math.max(sleep, leastSleepNanos(count));
    }
}
