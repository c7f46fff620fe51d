package dev.holdfast.lock.internal.background;

import java.util.concurrent.TimeUnit;

/**
 * The time for an event loop to read what has arrived, before a limit counts as passed. A timer may run first, above all when this process stood still,
 * and no answer in time is not the same as an answer that nobody has read.
 */
public final class Reading {

    /** How long to wait in any case. It is enough after a pause that is too short to be noticed. */
    public static final long USUAL = TimeUnit.MILLISECONDS.toNanos(5);

    /** How long to wait after a pause. */
    private static final long AFTER_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

    /** The largest number of late timers, one after the other, that let the event loop read first. A process without a processor has them always. */
    private static final int MOST_AFTER_PAUSES = 5;

    private int times;

    /**
     * Returns how long to wait before the limit counts as passed. After it, this method is called again.
     *
     * @param isLate whether the timer runs so late that this process did not run
     * @return 0 if the event loop had time to read
     */
    public long nanos(boolean isLate) {
        if (times < (isLate ? MOST_AFTER_PAUSES : 1)) {
            times++;
            return isLate ? AFTER_PAUSE : USUAL;
        }
        ended();
        return 0;
    }

    /** Called when no limit has passed. */
    public void ended() {
        times = 0;
    }
}
