package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.call.AroundLock.LockCall;
import dev.holdfast.lock.spring.declaration.KeyExpression;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a method once for each tick that its callers name. The schedule is somebody else's. */
record OncePerGivenTick(String text, KeyExpression expression, boolean retries) {

    /** Returns what decides for one call. */
    Once of(LockCall call) {
        return new TickRule(new Ticks(List.of(new Ticks.Given(tick(call)))), retries, null);
    }

    private Instant tick(LockCall call) {
        Object value = call.value().apply(expression);
        Instant tick = instant(value);
        if (tick == null) {
            throw new IllegalArgumentException(
                    "'tick = " + text + "' of " + call.operation().signature() + " gives '" + value
                            + "', which is no time. It needs an Instant, a Date, or a date with its time zone");
        }
        return tick;
    }

    private static @Nullable Instant instant(@Nullable Object value) {
        if (value instanceof Instant instant) {
            return instant;
        }
        if (value instanceof Date date) {
            return date.toInstant();
        }
        if (value instanceof ZonedDateTime zoned) {
            return zoned.toInstant();
        }
        return value instanceof OffsetDateTime offset ? offset.toInstant() : null;
    }
}
