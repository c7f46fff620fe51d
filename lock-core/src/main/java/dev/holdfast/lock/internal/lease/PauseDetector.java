package dev.holdfast.lock.internal.lease;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Detects when this process did not run, by timers that ring late: garbage collection, a stopped process, a host without processor time. */
final class PauseDetector {

    /** A timer may ring a little late on any machine. */
    private static final long WORTH_TELLING = TimeUnit.MILLISECONDS.toNanos(50);

    private record Pause(long noticedAt, long nanos) {}

    private final Ticker ticker;
    private volatile @Nullable Pause last;

    PauseDetector(Ticker ticker) {
        this.ticker = ticker;
    }

    /** A timer rings that was due at that moment. All come on the watchdog's thread. */
    void rang(long dueAt) {
        long now = ticker.now();
        long late = now - dueAt;
        Pause known = last;
        // Many timers ring after one pause: the one that waited longest knows its length best.
        if (late >= WORTH_TELLING && (known == null || late > known.nanos || now - known.noticedAt > known.nanos)) {
            last = new Pause(now, late);
        }
    }

    /** The length of the last one, if it was noticed after that moment; zero if there was none. */
    long longestSince(long moment) {
        Pause known = last;
        return known != null && known.noticedAt - moment > 0 ? known.nanos : 0;
    }
}
