package dev.holdfast.lock.internal.lease;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Looks now and then for leases that have been held for longer than a threshold, and reports each once. */
final class LongHolds implements AutoCloseable {

    private static final long MOST_BETWEEN = TimeUnit.SECONDS.toNanos(5);
    private static final long LEAST_BETWEEN = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int LOOKS = 4;

    private final Watchdog watchdog;
    private final EventPublisher events;
    private final Timer timer;
    private final long thresholdNanos;

    private Timer.@Nullable Timeout next;
    private boolean closed;

    LongHolds(Watchdog watchdog, EventPublisher events, Timer timer, long thresholdNanos) {
        this.watchdog = watchdog;
        this.events = events;
        this.timer = timer;
        this.thresholdNanos = thresholdNanos;
    }

    synchronized void lookLater() {
        if (closed) {
            return;
        }
        next = timer.after(Math.max(LEAST_BETWEEN, Math.min(MOST_BETWEEN, thresholdNanos / LOOKS)), this::look);
    }

    private void look() {
        lookLater();
        watchdog.held()
                .filter(lease -> !lease.toldOfLongHold && lease.held().toNanos() >= thresholdNanos)
                .forEach(lease -> {
                    lease.toldOfLongHold = true;
                    events.heldLong(lease);
                });
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.cancel();
        }
    }
}
