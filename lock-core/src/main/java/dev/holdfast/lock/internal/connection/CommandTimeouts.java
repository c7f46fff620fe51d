package dev.holdfast.lock.internal.connection;

import dev.holdfast.lock.LogText;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends the wait for answers that do not come. All commands have the same limit, so they expire in the order in which they began, with one queue and
 * one timer for all.
 */
final class CommandTimeouts {

    private static final int CHECKS = 8;

    private final ConcurrentLinkedQueue<Call<?>> pending = new ConcurrentLinkedQueue<>();
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

    /** The call fails when the time is over. */
    void limit(Call<?> call) {
        call.expiresAt = ticker.now() + limit.toNanos();
        pending.add(call);
        if (checking.compareAndSet(false, true)) {
            checkLater();
        }
    }

    private void checkLater() {
        timer.after(limit.toNanos() / CHECKS, this::check);
    }

    private void check() {
        long now = ticker.now();
        Call<?> oldest = pending.peek();
        while (oldest != null && (oldest.isDone() || oldest.expiresAt - now <= 0)) {
            pending.remove();
            if (!oldest.isDone()) {
                oldest.expire(LogText.time(limit));
            }
            oldest = pending.peek();
        }
        if (oldest != null) {
            checkLater();
            return;
        }
        checking.set(false);
        if (!pending.isEmpty() && checking.compareAndSet(false, true)) {
            checkLater();
        }
    }
}
