package dev.holdfast.lock.internal.background;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Detects periods in which this process did not run, by timers that run late. Causes are garbage collection, a stopped process, or a host without
 * processor time.
 */
public final class PauseDetector {

    /** The shortest delay of a timer that counts as a pause. A timer may be a little late on any machine. */
    static final long WORTH_NOTING = TimeUnit.MILLISECONDS.toNanos(50);

    private record Pause(long noticedAt, long nanos) {}

    private final Ticker ticker;
    private volatile @Nullable Pause last;

    public PauseDetector(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Called when a timer runs that was due at the given time. Returns whether it runs so late that the process did not run. Called on one thread. */
    public boolean rang(long dueAt) {
        long now = ticker.now();
        long late = now - dueAt;
        Pause known = last;
        // Many timers run after one pause. The timer with the longest delay shows the length of the pause best.
        if (late >= WORTH_NOTING && (known == null || late > known.nanos || now - known.noticedAt > known.nanos)) {
            last = new Pause(now, late);
        }
        return late >= WORTH_NOTING;
    }

    /** Returns the length of the last pause if it was noticed after the given time, or zero otherwise. */
    public long longestSince(long moment) {
        Pause known = last;
        return known != null && known.noticedAt - moment > 0 ? known.nanos : 0;
    }
}
