package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.event.AcquisitionSite;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The terms of one acquisition: the caller's options, completed by the client's defaults.
 *
 * @param leaseNanos how long a confirmed lease lasts in Redis
 * @param renewed whether the watchdog renews the lease
 * @param minHoldNanos the minimum hold time
 * @param maxHoldNanos the maximum hold time, or {@link #NO_LIMIT}
 * @param threadBound whether the hold ends with the acquiring thread, as a {@link java.util.concurrent.locks.Lock}'s does
 * @param interruptOnLoss whether the acquiring thread is interrupted when the lease is lost
 * @param thread the acquiring thread
 * @param site the stack trace of the acquisition; null unless recorded
 */
public record LeaseTerms(
        long leaseNanos,
        boolean renewed,
        long minHoldNanos,
        long maxHoldNanos,
        boolean threadBound,
        boolean interruptOnLoss,
        Thread thread,
        @Nullable AcquisitionSite site) {

    /** The value that means no maximum hold. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** The limit for the rest of a grant that was made for others, as a multiple of the lease. */
    private static final int LONGEST_FRACTION = 2;

    /** Rounds the lease down to whole milliseconds, because Redis receives only these. */
    public LeaseTerms {
        leaseNanos -= leaseNanos % NANOS_PER_MILLI;
    }

    /** Converts a duration to nanoseconds. A duration that does not fit into a long becomes the largest value, or 0 if it is negative. */
    public static long nanos(String what, @Nullable Duration duration) {
        if (duration == null) {
            throw new IllegalArgumentException("'" + what + "' must not be null");
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return duration.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    /** Returns the lease that is sent to Redis. */
    public long leaseMillis() {
        return leaseNanos / NANOS_PER_MILLI;
    }

    /**
     * Returns the time to live of the key: the lease, or the minimum hold if that is longer. So the lock stays taken for the minimum hold even if the
     * holder dies.
     */
    public long ttlMillis() {
        return Math.max(leaseMillis(), (minHoldNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }

    /**
     * Returns whether a grant with this rest of its lease is too long for these terms, because it was made for others: after the death of its holder,
     * it would last much longer than that holder's lease.
     */
    public boolean isTooLong(long restNanos) {
        return restNanos > LONGEST_FRACTION * leaseNanos;
    }

    public long ttlNanos() {
        return ttlMillis() * NANOS_PER_MILLI;
    }

    @Override
    public String toString() {
        return "lease of " + leaseMillis() + " ms" + (renewed ? ", renewed" : "");
    }

    /**
     * Returns the name of the holding thread if it ended without a release, otherwise null. A thread that has not started yet may still release the
     * lease.
     */
    @Nullable
    String deadHolder() {
        return threadBound && thread.getState() == Thread.State.TERMINATED ? thread.getName() : null;
    }
}
