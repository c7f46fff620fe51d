package dev.holdfast.lock.spring.job;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The times of a scheduled method. A run belongs to the latest tick that is not later than its time, or to the next one if that is very near: the
 * clock of an instance may be ahead.
 */
record Ticks(List<Schedule> schedules) {

    /** The part of the time between two ticks that a run may come early, and the longest such time. */
    private static final int EARLY_PART = 10;

    private static final Duration MOST_EARLY = Duration.ofMinutes(10);

    /** The longest time after which the tick of a cron schedule is late. */
    private static final Duration LATE = Duration.ofMinutes(1);

    /** One {@code @Scheduled}. Both answers are null if there is no such tick. */
    sealed interface Schedule {
        /** The latest tick that is not after a time. */
        @Nullable
        Instant latest(Instant time);

        /** The first tick after a time. */
        @Nullable
        Instant next(Instant time);
    }

    /** The ticks around a time, and how much earlier than the next one a run may begin. */
    record Around(@Nullable Instant latest, @Nullable Instant next, Duration early) {
        boolean isAny() {
            return latest != null || next != null;
        }

        boolean isNextNear(Instant time) {
            return next != null && !time.plus(early).isBefore(next);
        }
    }

    Around around(Instant time) {
        Instant latest = all(schedule -> schedule.latest(time))
                .max(Comparator.naturalOrder())
                .orElse(null);
        Instant next = all(schedule -> schedule.next(time))
                .min(Comparator.naturalOrder())
                .orElse(null);
        Duration early = MOST_EARLY;
        if (latest != null && next != null) {
            Duration part = Duration.between(latest, next).dividedBy(EARLY_PART);
            early = part.compareTo(MOST_EARLY) < 0 ? part : MOST_EARLY;
        }
        return new Around(latest, next, early);
    }

    /** Returns the tick before a tick; null if there is none. */
    @Nullable
    Instant before(Instant tick) {
        return around(tick.minusMillis(1)).latest();
    }

    /**
     * Returns how long after a tick its run may begin. Instances fire a cron schedule at its ticks. An instance fires a rate at any time between two
     * of them, now before and now after the limit.
     */
    Duration late(Instant tick) {
        Instant next = around(tick).next();
        if (next == null) {
            return LATE;
        }
        Duration half = Duration.between(tick, next).dividedBy(2);
        return !isCron() ? half.multipliedBy(3) : half.compareTo(LATE) < 0 ? half : LATE;
    }

    private boolean isCron() {
        return schedules.stream().allMatch(Cron.class::isInstance);
    }

    private Stream<Instant> all(Function<Schedule, @Nullable Instant> tick) {
        return schedules.stream().map(tick).filter(Objects::nonNull);
    }

    /**
     * The tick of a run at a time, given the last tick that has run. Null if it has run already.
     *
     * <p>Instances fire a cron schedule at its ticks, so a tick that is near is the one that is meant. A rate begins on each instance when that
     * instance starts. There the next tick is taken only if the present one has run: otherwise an instance that fires just at the limit, now before
     * and now after it, would leave ticks out.
     */
    @Nullable
    Instant due(Instant time, @Nullable Instant last) {
        Around around = around(time);
        Instant latest = isCron() && around.isNextNear(time) ? around.next() : around.latest();
        if (latest != null && (last == null || latest.isAfter(last))) {
            return latest;
        }
        Instant next = around.next();
        return next != null && around.isNextNear(time) && (last == null || next.isAfter(last)) ? next : null;
    }

    /** Spring's cron expression in its zone. */
    record Cron(CronExpression expression, ZoneId zone) implements Schedule {

        /** The rarest dates, such as a 29 February on a Monday, come again within it. */
        private static final Duration LONGEST_PAUSE = Duration.ofDays(50 * 365);

        @Override
        public @Nullable Instant next(Instant time) {
            ZonedDateTime next = expression.next(time.atZone(zone));
            return next == null ? null : next.toInstant();
        }

        /** Spring looks ahead only, so this searches for the latest time from which the next tick is not too late. */
        @Override
        public @Nullable Instant latest(Instant time) {
            Instant found = firstFound(time);
            Instant limit = time;
            while (found != null && Duration.between(found, limit).compareTo(Duration.ofSeconds(1)) >= 0) {
                Instant middle = found.plus(Duration.between(found, limit).dividedBy(2));
                Instant tick = next(middle);
                if (tick == null || tick.isAfter(time) || !tick.isAfter(found)) {
                    limit = middle;
                } else {
                    found = tick;
                }
            }
            return found;
        }

        private @Nullable Instant firstFound(Instant time) {
            for (Duration back = Duration.ofSeconds(1);
                    back.compareTo(LONGEST_PAUSE) < 0;
                    back = back.multipliedBy(2)) {
                Instant tick = next(time.minus(back));
                if (tick != null && !tick.isAfter(time)) {
                    return tick;
                }
            }
            return null;
        }
    }

    /** The tick that a call names. */
    record Given(Instant tick) implements Schedule {

        /** Returns null for a value that is no time. */
        static @Nullable Given of(@Nullable Object value) {
            Instant tick = value instanceof Date date
                    ? date.toInstant()
                    : value instanceof ZonedDateTime zoned
                            ? zoned.toInstant()
                            : value instanceof OffsetDateTime offset
                                    ? offset.toInstant()
                                    : value instanceof Instant instant ? instant : null;
            return tick == null ? null : new Given(tick);
        }

        @Override
        public @Nullable Instant latest(Instant time) {
            return tick.isAfter(time) ? null : tick;
        }

        /** A tick that lies far ahead would keep the schedule from running until then. */
        @Override
        public @Nullable Instant next(Instant time) {
            if (tick.isAfter(time.plus(MOST_EARLY))) {
                throw new IllegalArgumentException(
                        "The tick " + tick + " lies ahead: it is " + time + " on the server's clock");
            }
            return tick.isAfter(time) ? tick : null;
        }
    }

    /** A fixed rate, counted from the epoch: whenever instances start, they agree. */
    record Rate(Duration period) implements Schedule {

        @Override
        public Instant latest(Instant time) {
            long millis = period.toMillis();
            return Instant.ofEpochMilli(Math.floorDiv(time.toEpochMilli(), millis) * millis);
        }

        @Override
        public Instant next(Instant time) {
            return latest(time).plus(period);
        }
    }
}
