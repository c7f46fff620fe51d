package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.background.PauseDetector;
import dev.holdfast.lock.internal.background.Reading;
import dev.holdfast.lock.internal.background.Ticker;
import dev.holdfast.lock.internal.background.Timer;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends the wait for answers that do not arrive in time. All commands have the same timeout, so they expire in the order in which they began. One
 * queue and one timer therefore serve all commands.
 */
final class CommandTimeouts {

    /** The shortest pause between two checks. A command may expire late by twice this time, so that one check serves many commands of an outage. */
    private static final long SHORTEST_PAUSE = Reading.USUAL;

    /** The longest pause between two checks. An answered command is kept in the queue for at most this time. */
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final ConcurrentLinkedQueue<PendingCommand<?>> pending = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean checking = new AtomicBoolean();
    private final Duration limit;
    private final Timer timer;
    private final Ticker ticker;
    private final PauseDetector pauses;
    private volatile long checkDueAt;
    private final Reading reading = new Reading();

    CommandTimeouts(Duration limit, Timer timer, Ticker ticker) {
        this.limit = limit;
        this.timer = timer;
        this.ticker = ticker;
        this.pauses = new PauseDetector(ticker);
    }

    Ticker ticker() {
        return ticker;
    }

    /** Returns the number of commands in the queue, including answered commands. For tests. */
    int pending() {
        return pending.size();
    }

    /** Adds a command, which fails when the timeout is over. */
    void limit(PendingCommand<?> call) {
        call.expiresAt = ticker.now() + limit.toNanos();
        pending.add(call);
        if (checking.compareAndSet(false, true)) {
            checkBefore(call.expiresAt);
        }
    }

    private void checkBefore(long oldestExpiresAt) {
        long left = oldestExpiresAt - ticker.now();
        checkAfter(Math.max(SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, left)));
    }

    private void checkAfter(long nanos) {
        checkDueAt = ticker.now() + nanos;
        timer.after(nanos, this::check);
    }

    private void check() {
        boolean isLate = pauses.rang(checkDueAt);
        long now = ticker.now();
        // Removes all answered commands: one command without an answer may precede thousands of answered commands.
        pending.removeIf(PendingCommand::isDone);
        PendingCommand<?> oldest = pending.peek();
        boolean isExpired = oldest != null && oldest.expiresAt - now <= 0;
        long readingNanos = isExpired ? reading.nanos(isLate) : 0;
        if (readingNanos > 0) {
            checkAfter(readingNanos);
            return;
        }
        reading.ended();
        while (oldest != null && oldest.expiresAt - now <= 0) {
            pending.remove();
            oldest.expire(LogText.time(limit) + pauseDuring(oldest));
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

    private String pauseDuring(PendingCommand<?> call) {
        long pause = pauses.longestSince(call.expiresAt - limit.toNanos());
        return pause == 0
                ? ""
                : "; this process stood still, or had no processor, for " + LogText.time(Duration.ofNanos(pause));
    }
}
