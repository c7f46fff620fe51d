package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The effective settings of a declared lock: configuration, annotation and defaults, merged.
 *
 * @param enabled whether calls acquire the lock
 * @param options how calls acquire it
 * @param onBusy the policy; never {@code DEFAULT}
 * @param onBusyConfigured whether the configuration sets {@code onBusy} for this lock, which overrides a fallback
 * @param onUnavailable the policy; never {@code DEFAULT}
 * @param onLost the policy; never {@code DEFAULT}
 */
record LockTerms(
        boolean enabled,
        AcquireOptions options,
        OnBusy onBusy,
        boolean onBusyConfigured,
        OnUnavailable onUnavailable,
        OnLost onLost) {

    /**
     * Merges three settings. For each setting the first that sets it wins, with one exception: a call that skips a busy lock does not wait unless
     * its own settings say so. It would find the lock free after its minimum hold time, and run the same tick again.
     *
     * @param named what the configuration sets for this lock
     * @param declared what its annotation sets
     * @param defaults what the configuration sets for all locks
     * @throws IllegalArgumentException if they contradict each other or a length is out of bounds
     */
    static LockTerms of(LockSettings named, LockSettings declared, LockSettings defaults) {
        LockSettings own = named.or(declared);
        LockSettings all = own.or(defaults);
        OnBusy onBusy = either(all.onBusy(), OnBusy.THROW);
        Duration wait = own.waitTime() == null && onBusy == OnBusy.SKIP ? Duration.ZERO : all.waitTime();
        return new LockTerms(
                either(all.enabled(), true),
                options(wait, all.leaseTime(), all.minHold(), all.maxHold()),
                onBusy,
                named.onBusy() != null,
                either(all.onUnavailable(), OnUnavailable.THROW),
                either(all.onLost(), OnLost.THROW));
    }

    private static <T> T either(@Nullable T value, T otherwise) {
        return value == null ? otherwise : value;
    }

    private static AcquireOptions options(
            @Nullable Duration wait, @Nullable Duration lease, @Nullable Duration minHold, @Nullable Duration maxHold) {
        checkNotAbove("leaseTime", lease, maxHold);
        checkNotAbove("minHold", minHold, maxHold);
        if (wait != null && wait.isNegative()) {
            throw new IllegalArgumentException("'waitTime' must not be negative, was " + LogText.time(wait));
        }
        AcquireOptions options = AcquireOptions.defaults();
        options = wait == null ? options : options.waitAtMost(wait);
        options = lease == null ? options : options.lease(AcquireOptions.checkLease("leaseTime", lease));
        options = minHold == null ? options : options.minHold(minHold);
        return maxHold == null ? options : options.maxHold(maxHold);
    }

    private static void checkNotAbove(String what, @Nullable Duration length, @Nullable Duration maxHold) {
        if (length != null && maxHold != null && length.compareTo(maxHold) > 0) {
            throw new IllegalArgumentException("'" + what + "' must not be longer than 'maxHold' ("
                    + LogText.time(maxHold) + "), was " + LogText.time(length));
        }
    }

    /** The same as settings. A time that nothing sets is null. */
    LockSettings settings() {
        Duration minHold = options.minHold();
        return new LockSettings(
                enabled,
                options.givenWait().orElse(null),
                options.givenLease().orElse(null),
                minHold.isZero() ? null : minHold,
                options.givenMaxHold().orElse(null),
                onBusy,
                onUnavailable,
                onLost);
    }
}
