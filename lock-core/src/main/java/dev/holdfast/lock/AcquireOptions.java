package dev.holdfast.lock;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Options for one acquisition of a lock: the wait, the lease and its limits. Immutable: each method returns a changed copy.
 *
 * <pre>{@code
 * AcquireOptions options = AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(5)).lease(Duration.ofSeconds(30));
 * }</pre>
 */
@CheckReturnValue
public final class AcquireOptions {

    /** The shortest lease. A shorter one could end during the round trip to Redis. */
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

    /** Returns the defaults: the default wait of the called method, and a lease that the watchdog renews. */
    public static AcquireOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets the maximum time to wait for a busy lock. Zero or less means one try without a wait.
     *
     * @param wait the limit for the whole call, outages of Redis included
     */
    public AcquireOptions waitAtMost(Duration wait) {
        return new AcquireOptions(
                checkNotNull("wait", wait), lease, renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Sets the length of the lease. The lease ends after this time unless {@link #renewed()} is also given.
     *
     * @param lease {@link #MIN_LEASE} to {@link #MAX_LEASE}
     */
    public AcquireOptions lease(Duration lease) {
        return new AcquireOptions(
                wait, checkLease("lease", lease), renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /** Renews a lease of a given length until it is released. A lease without a {@linkplain #lease(Duration) given length} is always renewed. */
    public AcquireOptions renewed() {
        return new AcquireOptions(wait, lease, true, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Sets the maximum hold time. After this time, the lease is lost with {@link LossCause#MAX_HOLD}, even if the work is still running.
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
     * Sets the minimum hold time. If the lease is released earlier, the lock stays taken for the rest of this time. An instance whose clock is behind
     * then does not run a short job a second time.
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
     * Interrupts the acquiring thread if the lease is lost. The interrupt comes before listeners and callbacks are called, and never after {@link
     * Lease#close()}, {@link Lease#releaseAsync()} or {@code unlock()} has returned. If the thread has not noticed the interrupt by then, the release
     * clears the thread's interrupt status, because the {@link LeaseLostException} reports the loss. An interrupt status that was set before the loss
     * stays set.
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
     * @param what the name of the value in the message
     * @param lease the length
     * @return the same length
     * @throws IllegalArgumentException if the length is null or out of bounds
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

    /** Returns the wait, if one was given. */
    public Optional<Duration> givenWait() {
        return Optional.ofNullable(wait);
    }

    /** Returns the lease, if one was given. */
    public Optional<Duration> givenLease() {
        return Optional.ofNullable(lease);
    }

    /** Returns whether the lease is renewed while it is held, because {@link #renewed()} was called or no length was given. */
    public boolean isRenewed() {
        return renewed || lease == null;
    }

    /** Returns the maximum hold time, if one was given. */
    public Optional<Duration> givenMaxHold() {
        return Optional.ofNullable(maxHold);
    }

    /** Returns the minimum hold time, or zero if none was given. */
    public Duration minHold() {
        return minHold == null ? Duration.ZERO : minHold;
    }

    /** Returns whether the acquiring thread is interrupted if the lease is lost. */
    public boolean interruptsOnLoss() {
        return interruptOnLoss;
    }

    /** Returns the thread that the lease is bound to, if one was given. */
    public Optional<Thread> boundThread() {
        return Optional.ofNullable(boundTo);
    }
}
