package dev.holdfast.lock;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How to acquire a lock once: wait, lease and limits. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * AcquireOptions options = AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(5)).lease(Duration.ofSeconds(30));
 * }</pre>
 */
@CheckReturnValue
public final class AcquireOptions {

    /** The shortest lease. A round trip would use up a shorter one. */
    public static final Duration MIN_LEASE = Duration.ofMillis(10);

    /** The longest lease. */
    public static final Duration MAX_LEASE = Duration.ofHours(24);

    private static final AcquireOptions DEFAULTS = new AcquireOptions(null, null, false, null, null, false, null);

    private final @Nullable Duration wait;
    private final @Nullable Duration lease;
    private final boolean renewed;
    private final @Nullable Duration maxHold;
    private final @Nullable Duration minHold;
    private final boolean interruptOnLoss;
    private final @Nullable Thread boundTo;

    private AcquireOptions(
            @Nullable Duration wait,
            @Nullable Duration lease,
            boolean renewed,
            @Nullable Duration maxHold,
            @Nullable Duration minHold,
            boolean interruptOnLoss,
            @Nullable Thread boundTo) {
        this.wait = wait;
        this.lease = lease;
        this.renewed = renewed;
        this.maxHold = maxHold;
        this.minHold = minHold;
        this.interruptOnLoss = interruptOnLoss;
        this.boundTo = boundTo;
    }

    /** The defaults: the default wait of the call, and a lease that the watchdog renews. */
    public static AcquireOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Maximum time to wait for a busy lock. Zero or less tries once.
     *
     * @param wait the budget for everything, outages included
     */
    public AcquireOptions waitAtMost(Duration wait) {
        return new AcquireOptions(
                checkNotNull("wait", wait), lease, renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Length of the lease. It ends after this time unless {@link #renewed()} is given, too.
     *
     * @param lease {@link #MIN_LEASE} to {@link #MAX_LEASE}
     */
    public AcquireOptions lease(Duration lease) {
        return new AcquireOptions(
                wait, checkLease("lease", lease), renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /** Renews the lease that {@link #lease(Duration)} gives until it is released. A lease without a given length is always renewed. */
    public AcquireOptions renewed() {
        return new AcquireOptions(wait, lease, true, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Maximum hold time. After it the lease is lost with {@link LossCause#MAX_HOLD}, even if the work is still running.
     *
     * @param maxHold at least {@link #MIN_LEASE}
     */
    public AcquireOptions maxHold(Duration maxHold) {
        if (checkNotNull("maxHold", maxHold).compareTo(MIN_LEASE) < 0) {
            throw new IllegalArgumentException("'maxHold' must be at least " + MIN_LEASE + ", was " + maxHold);
        }
        return new AcquireOptions(wait, lease, renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Minimum hold time. The lock stays taken for it even if it is released earlier, so an instance whose clock is behind does not run a short job
     * again.
     *
     * @param minHold zero to {@link #MAX_LEASE}
     */
    public AcquireOptions minHold(Duration minHold) {
        if (checkNotNull("minHold", minHold).isNegative() || minHold.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("'minHold' must be between PT0S and " + MAX_LEASE + ", was " + minHold);
        }
        return new AcquireOptions(wait, lease, renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Interrupts the acquiring thread if the lease is lost. The interrupt comes before listeners and callbacks are called, and never after the
     * thread has left {@link Lease#close()}, {@link Lease#releaseAsync()} or {@code unlock()}. If the thread has not noticed it by then, the release
     * clears the thread's interrupt status, because the {@link LeaseLostException} reports the loss. A status that was set before the loss stays
     * set.
     */
    public AcquireOptions interruptOnLoss() {
        return new AcquireOptions(wait, lease, renewed, maxHold, minHold, true, boundTo);
    }

    /**
     * Binds the lease to a thread, like the hold of {@link LeaseLock#lock()}. When the thread ends, the lease is no longer renewed and is lost with
     * {@link LossCause#ABANDONED}. {@link #interruptOnLoss()} interrupts this thread.
     *
     * @param thread the holder
     */
    public AcquireOptions boundTo(Thread thread) {
        if (thread == null) {
            throw new IllegalArgumentException("'thread' must not be null");
        }
        return new AcquireOptions(wait, lease, renewed, maxHold, minHold, interruptOnLoss, thread);
    }

    /**
     * Checks a lease's length.
     *
     * @param what the name to quote in the message
     * @param lease the length
     * @return the same length
     * @throws IllegalArgumentException if it is null or out of bounds
     */
    public static Duration checkLease(String what, @Nullable Duration lease) {
        Duration given = checkNotNull(what, lease);
        if (given.compareTo(MIN_LEASE) < 0 || given.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException(
                    "'" + what + "' must be between " + MIN_LEASE + " and " + MAX_LEASE + ", was " + given);
        }
        return given;
    }

    private static Duration checkNotNull(String what, @Nullable Duration duration) {
        if (duration == null) {
            throw new IllegalArgumentException("'" + what + "' must not be null");
        }
        return duration;
    }

    /** The wait, if one was given. */
    public Optional<Duration> givenWait() {
        return Optional.ofNullable(wait);
    }

    /** The lease, if one was given. */
    public Optional<Duration> givenLease() {
        return Optional.ofNullable(lease);
    }

    /** Whether the lease is renewed while it is held: {@link #renewed()}, or no given length. */
    public boolean isRenewed() {
        return renewed || lease == null;
    }

    /** The maximum hold time, if one was given. */
    public Optional<Duration> givenMaxHold() {
        return Optional.ofNullable(maxHold);
    }

    /** The minimum hold time; zero if none was given. */
    public Duration minHold() {
        return minHold == null ? Duration.ZERO : minHold;
    }

    /** Whether the acquiring thread is interrupted on loss. */
    public boolean interruptsOnLoss() {
        return interruptOnLoss;
    }

    /** The thread with which the lease ends, if one was given. */
    public Optional<Thread> boundThread() {
        return Optional.ofNullable(boundTo);
    }
}
