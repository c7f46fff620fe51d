package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.background.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Detects by late timers when this process did not run: garbage collection, a stopped process, a host without processor time. */
final class PauseDetector {

    /** A timer may be a little late on any machine. */
    private static final long WORTH_NOTING = TimeUnit.MILLISECONDS.toNanos(50);

    private record Pause(long noticedAt, long nanos) {}

    private final Ticker ticker;
    private volatile @Nullable Pause last;

    PauseDetector(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Notes that a timer runs that was due at that moment. Called on the watchdog's thread only. */
    void rang(long dueAt) {
        long now = ticker.now();
        long late = now - dueAt;
        Pause known = last;
        // Many timers run after one pause: the one that waited longest knows its length best.
        if (late >= WORTH_NOTING && (known == null || late > known.nanos || now - known.noticedAt > known.nanos)) {
            last = new Pause(now, late);
        }
    }

    /** The length of the last pause, if it was noticed after that moment; else zero. */
    long longestSince(long moment) {
        Pause known = last;
        return known != null && known.noticedAt - moment > 0 ? known.nanos : 0;
    }
}
