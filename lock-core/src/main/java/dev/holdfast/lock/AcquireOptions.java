package dev.holdfast.lock;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How one acquisition is to be made. Immutable: each method gives a changed copy.
 *
 * <pre>{@code
 * AcquireOptions.defaults().waitAtMost(Duration.ofSeconds(5)).lease(Duration.ofSeconds(30))
 * }</pre>
 */
@CheckReturnValue
public final class AcquireOptions {

    /** The shortest lease there is; below it, the round trip alone would use it up. */
    public static final Duration MIN_LEASE = Duration.ofMillis(10);

    /** The longest lease there is. */
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

    /**
     * Nothing special: the default wait of the call, a lease that the watchdog renews.
     *
     * @return the defaults
     */
    public static AcquireOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Waits no longer than this for a busy lock; zero or less tries once.
     *
     * @param wait the budget for everything, outages included
     * @return a changed copy
     */
    public AcquireOptions waitAtMost(Duration wait) {
        return new AcquireOptions(
                checkNotNull("wait", wait), lease, renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Ends the lease after this time, unless {@link #renewed()} is asked for too.
     *
     * @param lease {@link #MIN_LEASE} to {@link #MAX_LEASE}
     * @return a changed copy
     */
    public AcquireOptions lease(Duration lease) {
        return new AcquireOptions(
                wait, checkLease("lease", lease), renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Renews the lease that {@link #lease(Duration)} gives for as long as it is held, as the watchdog does where none is given.
     *
     * @return a changed copy
     */
    public AcquireOptions renewed() {
        return new AcquireOptions(wait, lease, true, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Ends the hold after this time however well its holder fares: the lease is lost with {@link LossCause#MAX_HOLD}.
     *
     * @param maxHold at least {@link #MIN_LEASE}
     * @return a changed copy
     */
    public AcquireOptions maxHold(Duration maxHold) {
        if (checkNotNull("maxHold", maxHold).compareTo(MIN_LEASE) < 0) {
            throw new IllegalArgumentException("'maxHold' must be at least " + MIN_LEASE + ", was " + maxHold);
        }
        return new AcquireOptions(wait, lease, renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Keeps the lock from everybody for at least this time, also when released earlier: a job that ran in a blink is then not run again by
     * an instance whose clock is behind.
     *
     * @param minHold zero to {@link #MAX_LEASE}
     * @return a changed copy
     */
    public AcquireOptions minHold(Duration minHold) {
        if (checkNotNull("minHold", minHold).isNegative() || minHold.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("'minHold' must be between PT0S and " + MAX_LEASE + ", was " + minHold);
        }
        return new AcquireOptions(wait, lease, renewed, maxHold, minHold, interruptOnLoss, boundTo);
    }

    /**
     * Interrupts the acquiring thread if the lease is lost while held. The interrupt comes before listeners and callbacks hear of the loss, and never
     * after the thread has left {@link Lease#close()}, {@link Lease#releaseAsync()} or {@code unlock()}. If the thread has not noticed the interrupt by
     * then, the release takes it back, since the {@link LeaseLostException} reports the loss: the thread's interrupt status is cleared, unless it
     * was set before the loss.
     *
     * @return a changed copy
     */
    public AcquireOptions interruptOnLoss() {
        return new AcquireOptions(wait, lease, renewed, maxHold, minHold, true, boundTo);
    }

    /**
     * Binds the lease to a thread, as the hold of a {@link LeaseLock#lock()} is: once that thread has ended the lease is renewed no longer and is
     * lost with {@link LossCause#ABANDONED}. It is also the thread that {@link #interruptOnLoss()} interrupts.
     *
     * @param thread the holder
     * @return a changed copy
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

    /**
     * The wait, if one was given.
     *
     * @return the wait
     */
    public Optional<Duration> givenWait() {
        return Optional.ofNullable(wait);
    }

    /**
     * The lease, if one was given.
     *
     * @return the lease
     */
    public Optional<Duration> givenLease() {
        return Optional.ofNullable(lease);
    }

    /**
     * Whether the lease is renewed while held: asked for, or no lease given.
     *
     * @return true if renewed
     */
    public boolean isRenewed() {
        return renewed || lease == null;
    }

    /**
     * The longest hold, if one was given.
     *
     * @return the maximum hold
     */
    public Optional<Duration> givenMaxHold() {
        return Optional.ofNullable(maxHold);
    }

    /**
     * The shortest hold.
     *
     * @return zero where none was given
     */
    public Duration minHold() {
        return minHold == null ? Duration.ZERO : minHold;
    }

    /**
     * Whether the acquiring thread is interrupted on loss.
     *
     * @return true if asked for
     */
    public boolean interruptsOnLoss() {
        return interruptOnLoss;
    }

    /**
     * The thread with which the lease ends, if one was given.
     *
     * @return the thread
     */
    public Optional<Thread> boundThread() {
        return Optional.ofNullable(boundTo);
    }
}
