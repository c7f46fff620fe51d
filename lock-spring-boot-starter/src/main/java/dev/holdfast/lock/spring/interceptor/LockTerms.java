package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.LogText;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What holds for one declared lock once configuration, annotation and defaults are laid over each other.
 *
 * @param enabled whether the lock is taken at all
 * @param options how it is acquired
 * @param onBusy the policy; never {@code DEFAULT}
 * @param onBusyConfigured whether the configuration names {@code onBusy} for this lock, and so overrules a handler
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
     * Lays three settings over each other, the first that says something wins.
     *
     * @throws IllegalArgumentException if they contradict each other or hold a length that is out of bounds
     */
    static LockTerms of(LockSettings named, LockSettings declared, LockSettings defaults) {
        Layers layers = new Layers(named, declared, defaults);
        OnBusy onBusy =
                layers.pick(settings -> settings.onBusy() == OnBusy.DEFAULT ? null : settings.onBusy(), OnBusy.THROW);
        OnUnavailable onUnavailable = layers.pick(
                settings -> settings.onUnavailable() == OnUnavailable.DEFAULT ? null : settings.onUnavailable(),
                OnUnavailable.THROW);
        OnLost onLost =
                layers.pick(settings -> settings.onLost() == OnLost.DEFAULT ? null : settings.onLost(), OnLost.THROW);
        boolean configured = named.onBusy() != null && named.onBusy() != OnBusy.DEFAULT;
        boolean enabled = layers.pick(LockSettings::enabled, true);
        return new LockTerms(enabled, layers.options(onBusy), onBusy, configured, onUnavailable, onLost);
    }

    /** As settings that say everything. */
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

    private record Layers(LockSettings named, LockSettings declared, LockSettings defaults) {

        <T> T pick(Function<LockSettings, @Nullable T> field, T otherwise) {
            T said = find(field);
            return said == null ? otherwise : said;
        }

        <T> @Nullable T find(Function<LockSettings, @Nullable T> field) {
            T said = field.apply(named);
            if (said == null) {
                said = field.apply(declared);
            }
            return said == null ? field.apply(defaults) : said;
        }

        AcquireOptions options(OnBusy onBusy) {
            Duration lease = find(LockSettings::leaseTime);
            Duration minHold = find(LockSettings::minHold);
            Duration maxHold = find(LockSettings::maxHold);
            checkTogether(lease, minHold, maxHold);
            AcquireOptions options = withWait(AcquireOptions.defaults(), onBusy);
            options = lease == null ? options : options.lease(AcquireOptions.checkLease("leaseTime", lease));
            options = minHold == null ? options : options.minHold(minHold);
            return maxHold == null ? options : options.maxHold(maxHold);
        }

        /**
         * A call that skips does not wait unless its own lock is told to: it would find the lock free after its minimum hold, and run the
         * same tick again.
         */
        private AcquireOptions withWait(AcquireOptions options, OnBusy onBusy) {
            Duration own = named.waitTime() == null ? declared.waitTime() : named.waitTime();
            Duration common = onBusy == OnBusy.SKIP ? Duration.ZERO : defaults.waitTime();
            Duration wait = own == null ? common : own;
            if (wait != null && wait.isNegative()) {
                throw new IllegalArgumentException("'waitTime' must not be negative, was " + LogText.time(wait));
            }
            return wait == null ? options : options.waitAtMost(wait);
        }

        private static void checkTogether(
                @Nullable Duration lease, @Nullable Duration minHold, @Nullable Duration maxHold) {
            checkNotAbove("leaseTime", lease, maxHold);
            checkNotAbove("minHold", minHold, maxHold);
        }

        private static void checkNotAbove(String what, @Nullable Duration length, @Nullable Duration maxHold) {
            if (length != null && maxHold != null && length.compareTo(maxHold) > 0) {
                throw new IllegalArgumentException("'" + what + "' must not be longer than 'maxHold' ("
                        + LogText.time(maxHold) + "), was " + LogText.time(length));
            }
        }
    }
}
