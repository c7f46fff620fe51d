package dev.holdfast.lock.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Checks arguments of callers. Each method returns the argument, or throws an exception that names it. */
final class Arguments {

    private Arguments() {}

    static <T> T notNull(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("'" + what + "' must not be null");
        }
        return value;
    }

    static Duration positive(String what, @Nullable Duration duration) {
        Duration checked = notNegative(what, duration);
        if (checked.isZero()) {
            throw new IllegalArgumentException("'" + what + "' must be more than zero");
        }
        return checked;
    }

    static Duration notNegative(String what, @Nullable Duration duration) {
        if (duration == null || duration.isNegative()) {
            throw new IllegalArgumentException("'" + what + "' must not be negative, was " + duration);
        }
        return duration;
    }
}
