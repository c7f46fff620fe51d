package dev.holdfast.lock.internal.lease;

import dev.holdfast.lock.internal.event.AcquisitionSite;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one acquisition asked for, with the client's defaults filled in.
 *
 * @param leaseNanos how long a confirmed lease lasts in Redis
 * @param renewed whether the watchdog renews it
 * @param minHoldNanos how long the lock stays taken at least
 * @param maxHoldNanos the maximum hold time, or {@link #NO_LIMIT}
 * @param threadBound whether the hold ends with the acquiring thread, as a {@link java.util.concurrent.locks.Lock}'s does
 * @param interruptOnLoss whether the acquiring thread is interrupted when the lease is lost
 * @param thread the acquiring thread
 * @param site where it acquires; null unless recorded
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

    /** No maximum hold. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Redis gets whole milliseconds. The rest must not be relied on. */
    public LeaseTerms {
        leaseNanos -= leaseNanos % NANOS_PER_MILLI;
    }

    /** A duration as nanoseconds; what does not fit is for ever. */
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

    /** The lease that Redis gets. */
    public long leaseMillis() {
        return leaseNanos / NANOS_PER_MILLI;
    }

    /** How long the key lives: the lease, or the minimum hold if that is longer, so that it holds even if the holder is late or dead. */
    public long ttlMillis() {
        return Math.max(leaseMillis(), (minHoldNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }

    public long ttlNanos() {
        return ttlMillis() * NANOS_PER_MILLI;
    }

    @Override
    public String toString() {
        return "lease of " + leaseMillis() + " ms" + (renewed ? ", renewed" : "");
    }

    /** The name of the thread that ended without releasing, or null. A thread that has not started yet may still release. */
    @Nullable
    String deadHolder() {
        return threadBound && thread.getState() == Thread.State.TERMINATED ? thread.getName() : null;
    }
}
