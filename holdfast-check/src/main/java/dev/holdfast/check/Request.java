package dev.holdfast.check;

import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * A worker's request for a lock.
 *
 * @param number the number of the attempt
 * @param delayMicros the time after which the worker cancels or is interrupted, if the way says so
 * @param onLost receives the time of a loss
 */
record Request(
        long number, Use use, List<String> locks, Duration patience, Way way, long delayMicros, LongConsumer onLost) {

    /** The way in which the worker acquires the lock. */
    enum Way {
        LEASE,
        FIXED_LEASE,
        REENTRANT,
        CANCELED,
        INTERRUPTED
    }
}
