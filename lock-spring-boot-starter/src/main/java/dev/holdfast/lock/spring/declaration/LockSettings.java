package dev.holdfast.lock.spring.declaration;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Settings of one lock, or the defaults of all locks, as {@link dev.holdfast.lock.spring.DistributedLock} describes them. A setting is null if it is
 * not set. If {@code bypass} is true, methods run without the lock, on every instance. The configuration of a named lock overrides its annotation, so
 * that it can change without a release. The annotation overrides the defaults.
 */
public record LockSettings(
        @Nullable Boolean bypass,
        @Nullable Duration waitTime,
        @Nullable Duration leaseTime,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable OnBusy onBusy,
        @Nullable OnUnavailable onUnavailable,
        @Nullable OnLost onLost,
        @Nullable Boolean pausable) {

    /**
     * The default of {@code holdfast.order}: just outside of transactions and caches, and inside of retries and security. A lower order is further
     * out.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** The valid forms of a {@linkplain #duration duration}, for the advice in an error message. */
    public static final String DURATIONS = "Write the number with its unit, such as 500ms, 5s, 2m, 1h or PT5S";

    /** Settings of which none is set. */
    public static final LockSettings NONE = new LockSettings(null, null, null, null, null, null, null, null, null);

    private static final LockSettings NO_WAIT =
            new LockSettings(null, Duration.ZERO, null, null, null, null, null, null, null);
    private static final LockSettings LAST =
            new LockSettings(false, null, null, null, null, OnBusy.THROW, OnUnavailable.THROW, OnLost.THROW, null);

    /** {@return these settings, with the others where these are not set} */
    public LockSettings or(LockSettings others) {
        return new LockSettings(
                either(bypass, others.bypass),
                either(waitTime, others.waitTime),
                either(leaseTime, others.leaseTime),
                either(minHold, others.minHold),
                either(maxHold, others.maxHold),
                either(onBusy, others.onBusy),
                either(onUnavailable, others.onUnavailable),
                either(onLost, others.onLost),
                either(pausable, others.pausable));
    }

    LockSettings withoutPausable() {
        return new LockSettings(bypass, waitTime, leaseTime, minHold, maxHold, onBusy, onUnavailable, onLost, null);
    }

    private static <T> @Nullable T either(@Nullable T value, @Nullable T otherwise) {
        return value == null ? otherwise : value;
    }

    /**
     * Returns these settings, completed by the defaults. A call that skips or has a fallback does not wait by default: after a wait, it would run the
     * same tick again.
     */
    LockSettings effective(LockSettings defaults, boolean fallback) {
        LockSettings all = or(defaults).or(LAST);
        return waitTime == null && (fallback || all.onBusy == OnBusy.SKIP) ? NO_WAIT.or(all) : all;
    }

    /** Returns the options with which a call acquires the lock. Refuses settings that contradict each other or are out of bounds. */
    AcquireOptions options() {
        checkNotAboveMaxHold("leaseTime", leaseTime);
        checkNotAboveMaxHold("minHold", minHold);
        if (waitTime != null && waitTime.isNegative()) {
            throw new IllegalArgumentException("'waitTime' must not be negative, was " + LogText.time(waitTime));
        }
        AcquireOptions options = AcquireOptions.defaults();
        options = waitTime == null ? options : options.waitAtMost(waitTime);
        options = leaseTime == null ? options : options.lease(AcquireOptions.checkLease("leaseTime", leaseTime));
        options = minHold == null ? options : options.minHold(minHold);
        return maxHold == null ? options : options.maxHold(maxHold);
    }

    private void checkNotAboveMaxHold(String what, @Nullable Duration length) {
        if (length != null && maxHold != null && length.compareTo(maxHold) > 0) {
            throw new IllegalArgumentException("'" + what + "' must not be longer than 'maxHold' ("
                    + LogText.time(maxHold) + "), was " + LogText.time(length));
        }
    }

    /** Parses a duration. Refuses a number without a unit, because Spring reads 5 as milliseconds and most people mean seconds. */
    public static Duration duration(String text) {
        String stripped = text.strip();
        if (stripped.matches("[+-]?\\d*[1-9]\\d*")) {
            throw new IllegalArgumentException("'" + stripped + "' has no unit");
        }
        try {
            return DurationFormatterUtils.detectAndParse(stripped);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + stripped + "' is not a duration", e);
        }
    }

    /** Provides the settings of locks from the configuration. */
    public interface Source {
        /** {@return the settings that apply to every lock; by default, none is set} */
        default LockSettings defaults() {
            return NONE;
        }

        /** {@return the settings of one lock, or {@link LockSettings#NONE} if the configuration does not mention it} */
        default LockSettings named(String declaredName) {
            return NONE;
        }

        /** {@return the position of the lock among a method's advisors} */
        default int order() {
            return DEFAULT_ORDER;
        }

        /** {@return the time after which a crashed holder's lock expires} */
        default Duration watchdogTimeout() {
            return Duration.ofSeconds(30);
        }
    }
}
