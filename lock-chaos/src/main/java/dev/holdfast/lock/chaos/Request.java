package dev.holdfast.lock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What a worker wants.
 *
 * @param number of the attempt
 * @param delayMicros after which it cancels or is interrupted, if it does
 * @param onLost receives the time of a loss
 */
record Request(
        long number, Use use, List<String> locks, Duration patience, Way way, long delayMicros, LongConsumer onLost) {

    /** How it asks. */
    enum Way {
        LEASE,
        FIXED_LEASE,
        REENTRANT,
        CANCELED,
        INTERRUPTED
    }
}
