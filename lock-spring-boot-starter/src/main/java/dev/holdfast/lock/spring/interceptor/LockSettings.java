package dev.holdfast.lock.spring.interceptor;

import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one lock, or the defaults of all locks. Null means not set. The configuration of a named lock overrides its annotation, so that it
 * can change without a release. The annotation overrides the defaults.
 *
 * @param enabled whether calls acquire the lock; if false, the method runs without it
 * @param waitTime how long a call waits for a busy lock
 * @param leaseTime the length of the lease; without one, the lease is renewed while the method runs
 * @param minHold the minimum hold time
 * @param maxHold the maximum hold time
 * @param onBusy what to do when the lock cannot be acquired within the wait time
 * @param onUnavailable what to do when Redis does not answer
 * @param onLost what to do when the lease is lost while the method runs
 */
public record LockSettings(
        @Nullable Boolean enabled,
        @Nullable Duration waitTime,
        @Nullable Duration leaseTime,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable OnBusy onBusy,
        @Nullable OnUnavailable onUnavailable,
        @Nullable OnLost onLost) {

    /** Nothing is set. */
    public static final LockSettings NONE = new LockSettings(null, null, null, null, null, null, null, null);

    /** Treats {@code DEFAULT} as not set. */
    public LockSettings {
        onBusy = onBusy == OnBusy.DEFAULT ? null : onBusy;
        onUnavailable = onUnavailable == OnUnavailable.DEFAULT ? null : onUnavailable;
        onLost = onLost == OnLost.DEFAULT ? null : onLost;
    }

    /** {@return these settings, completed by others} */
    public LockSettings or(LockSettings others) {
        return new LockSettings(
                either(enabled, others.enabled),
                either(waitTime, others.waitTime),
                either(leaseTime, others.leaseTime),
                either(minHold, others.minHold),
                either(maxHold, others.maxHold),
                either(onBusy, others.onBusy),
                either(onUnavailable, others.onUnavailable),
                either(onLost, others.onLost));
    }

    private static <T> @Nullable T either(@Nullable T value, @Nullable T otherwise) {
        return value == null ? otherwise : value;
    }

    /** Where the settings of locks come from: the configuration. */
    public interface Source {

        /**
         * The settings that apply to every lock. By default none.
         *
         * @return the settings
         */
        default LockSettings defaults() {
            return NONE;
        }

        /**
         * The settings of one lock. By default none.
         *
         * @param declaredName the name in its annotation
         * @return the settings; {@link LockSettings#NONE} if the configuration does not mention the lock
         */
        default LockSettings named(String declaredName) {
            return NONE;
        }
    }
}
