package dev.holdfast.lock.lease;

import java.util.concurrent.TimeUnit;

/** Looks now and then for leases that have been held for longer than a threshold, and reports each once. */
public final class LongHolds {

    private static final long MOST_BETWEEN = TimeUnit.SECONDS.toNanos(5);
    private static final long LEAST_BETWEEN = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int LOOKS = 4;

    private final Watchdog watchdog;
    private final Announcer announcer;
    private final Timer timer;
    private final long thresholdNanos;

    private LongHolds(Watchdog watchdog, Announcer announcer, Timer timer, long thresholdNanos) {
        this.watchdog = watchdog;
        this.announcer = announcer;
        this.timer = timer;
        this.thresholdNanos = thresholdNanos;
    }

    /** Begins to look, until the timer is closed. */
    public static void watch(Watchdog watchdog, Announcer announcer, Timer timer, long thresholdNanos) {
        new LongHolds(watchdog, announcer, timer, thresholdNanos).lookLater();
    }

    private void lookLater() {
        timer.after(Math.max(LEAST_BETWEEN, Math.min(MOST_BETWEEN, thresholdNanos / LOOKS)), this::look);
    }

    private void look() {
        lookLater();
        watchdog.held()
                .filter(lease -> !lease.toldOfLongHold && lease.held().toNanos() >= thresholdNanos)
                .forEach(lease -> {
                    lease.toldOfLongHold = true;
                    announcer.heldLong(lease);
                });
    }
}
