package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends the wait for answers that do not come. All commands have the same limit, so they expire in the order in which they began, with one queue and
 * one timer for all.
 */
final class CommandTimeouts {

    /** How late a call may end: the calls of an outage share checks. */
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    /** How long an answered call is kept at most. */
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final ConcurrentLinkedQueue<PendingCommand<?>> pending = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean checking = new AtomicBoolean();
    private final Duration limit;
    private final Timer timer;
    private final Ticker ticker;

    CommandTimeouts(Duration limit, Timer timer, Ticker ticker) {
        this.limit = limit;
        this.timer = timer;
        this.ticker = ticker;
    }

    Duration limit() {
        return limit;
    }

    Ticker ticker() {
        return ticker;
    }

    /** How many calls it has, some of which may be answered. For tests. */
    int pending() {
        return pending.size();
    }

    /** The call fails when the time is over. */
    void limit(PendingCommand<?> call) {
        call.expiresAt = ticker.now() + limit.toNanos();
        pending.add(call);
        if (checking.compareAndSet(false, true)) {
            checkBefore(call.expiresAt);
        }
    }

    private void checkBefore(long oldestExpiresAt) {
        long left = oldestExpiresAt - ticker.now();
        timer.after(Math.max(SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, left)), this::check);
    }

    private void check() {
        long now = ticker.now();
        // All of them: a call without an answer may be ahead of thousands with one.
        pending.removeIf(PendingCommand::isDone);
        PendingCommand<?> oldest = pending.peek();
        while (oldest != null && oldest.expiresAt - now <= 0) {
            pending.remove();
            oldest.expire(LogText.time(limit));
            oldest = pending.peek();
        }
        if (oldest == null) {
            checking.set(false);
            oldest = pending.peek();
            if (oldest == null || !checking.compareAndSet(false, true)) {
                return;
            }
        }
        checkBefore(oldest.expiresAt);
    }
}
