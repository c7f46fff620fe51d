package dev.holdfast.lock.spring.job;

import dev.holdfast.lock.spring.declaration.LockAnnotation;
import dev.holdfast.lock.spring.job.Ticks.Cron;
import dev.holdfast.lock.spring.job.Ticks.Rate;
import dev.holdfast.lock.spring.job.Ticks.Schedule;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringUtils;

/** Reads the ticks of a method from its {@code @Scheduled}, as Spring does. Refuses a schedule that has none. */
record ScheduledTicks(LockAnnotation source) {

    Ticks read() {
        Method method = source.method();
        List<MergedAnnotation<Scheduled>> scheduled =
                MergedAnnotations.from(method).stream(Scheduled.class).toList();
        if (scheduled.isEmpty()
                && MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(Scheduled.class)) {
            throw source.invalid(
                    "'@OncePerTick' needs a method that Spring schedules, and Spring does not schedule the override of a"
                            + " @Scheduled method",
                    "Repeat @Scheduled here");
        }
        if (scheduled.isEmpty()) {
            throw source.invalid(
                    "'@OncePerTick' needs the ticks of a schedule, and the method has no @Scheduled",
                    "Put @Scheduled with 'cron' or 'fixedRate' on the method, give 'tick' an expression over the call, or"
                            + " use @DistributedLock");
        }
        return new Ticks(
                scheduled.stream().map(this::schedule).filter(Objects::nonNull).toList());
    }

    /** Null for a schedule that is switched off. */
    private @Nullable Schedule schedule(MergedAnnotation<Scheduled> scheduled) {
        try {
            String cron =
                    source.evaluated("@Scheduled", scheduled.getString("cron")).strip();
            if (cron.equals(Scheduled.CRON_DISABLED)) {
                return null;
            }
            if (!cron.isEmpty()) {
                return new Cron(CronExpression.parse(cron), zone(scheduled));
            }
            Duration period = period(scheduled);
            if (period.toMillis() > 0) {
                return new Rate(period);
            }
        } catch (IllegalArgumentException e) {
            throw source.invalid("its @Scheduled cannot be read: " + e.getMessage(), "Correct the schedule");
        }
        throw source.invalid(
                "'@OncePerTick' needs times that all instances share; 'fixedDelay' counts from the end of a run, and a"
                        + " one-time task has no ticks",
                "Use 'cron' or 'fixedRate' of at least 1 ms, or @DistributedLock");
    }

    private ZoneId zone(MergedAnnotation<Scheduled> scheduled) {
        String zone =
                source.evaluated("@Scheduled", scheduled.getString("zone")).strip();
        return zone.isEmpty()
                ? ZoneId.systemDefault()
                : StringUtils.parseTimeZoneString(zone).toZoneId();
    }

    private Duration period(MergedAnnotation<Scheduled> scheduled) {
        TimeUnit unit = scheduled.getEnum("timeUnit", TimeUnit.class);
        String text = source.evaluated("@Scheduled", scheduled.getString("fixedRateString"))
                .strip();
        return text.isEmpty()
                ? Duration.of(Math.max(0, scheduled.getLong("fixedRate")), unit.toChronoUnit())
                : DurationFormatterUtils.detectAndParse(text, DurationFormat.Unit.fromChronoUnit(unit.toChronoUnit()));
    }
}
