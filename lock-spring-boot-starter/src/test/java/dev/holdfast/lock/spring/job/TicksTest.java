package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.job.Ticks.Cron;
import dev.holdfast.lock.spring.job.Ticks.Rate;
import dev.holdfast.lock.spring.job.Ticks.Schedule;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.support.CronExpression;

/** Which tick a run belongs to. */
@Timeout(Await.TEST_SECONDS)
class TicksTest {

    private static Instant at(String time) {
        return Instant.parse("2026-06-01T" + time + "Z");
    }

    private static Ticks cron(String expression, String zone) {
        return new Ticks(List.of(new Cron(CronExpression.parse(expression), ZoneId.of(zone))));
    }

    private static Ticks everyTenSeconds() {
        return cron("*/10 * * * * *", "UTC");
    }

    @Test
    void lateRunBelongsToTheTickBefore() {
        assertThat(everyTenSeconds().due(at("12:00:15"), at("12:00:00"))).isEqualTo(at("12:00:10"));
        assertThat(everyTenSeconds().due(at("12:00:15"), at("12:00:10"))).isNull();
        assertThat(everyTenSeconds().due(at("12:00:20.003"), at("12:00:10"))).isEqualTo(at("12:00:20"));
    }

    @Test
    void runOfAClockThatIsAheadBelongsToTheNextTick() {
        assertThat(everyTenSeconds().due(at("12:00:09.990"), null)).isEqualTo(at("12:00:10"));
        assertThat(everyTenSeconds().due(at("12:00:10.010"), at("12:00:10"))).isNull();
        assertThat(everyTenSeconds().due(at("12:00:08.900"), null)).isEqualTo(at("12:00:00"));
        // Nightly, by a clock that is five minutes ahead, and then by a right one.
        Ticks nightly = cron("0 0 2 * * *", "UTC");
        assertThat(nightly.due(at("01:55:00"), null)).isEqualTo(at("02:00:00"));
        assertThat(nightly.due(at("02:00:00"), at("02:00:00"))).isNull();
        // One that is five minutes behind.
        assertThat(nightly.due(at("02:05:00"), at("02:00:00"))).isNull();
    }

    @Test
    void laterTickOfAnotherScheduleIsNotRunAgain() {
        // The version before runs every minute, this one every hour.
        Ticks hourly = cron("0 0 * * * *", "UTC");
        assertThat(hourly.due(at("12:05:00"), at("12:04:00"))).isNull();
        assertThat(hourly.due(at("13:00:00.002"), at("12:59:00"))).isEqualTo(at("13:00:00"));
    }

    @Test
    void severalSchedulesHaveTheTicksOfAll() {
        Ticks both = new Ticks(List.of(
                new Cron(CronExpression.parse("0 0 * * * *"), ZoneId.of("UTC")),
                new Cron(CronExpression.parse("0 20 * * * *"), ZoneId.of("UTC"))));
        assertThat(both.due(at("12:19:00"), at("12:00:00"))).isEqualTo(at("12:20:00"));
        assertThat(both.due(at("12:40:00"), at("12:20:00"))).isNull();
        assertThat(new Ticks(List.of()).due(at("12:00:00"), null)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "449", "450", "499"})
    void instanceThatFiresAtARateLeavesNoTickOutWhateverItsPhase(int phase) {
        Ticks rate = new Ticks(List.of(new Rate(Duration.ofMillis(500))));
        List<Instant> ran = new ArrayList<>();
        Instant last = null;
        for (int i = 0; i < 60; i++) {
            // Now a little early, now a little late.
            Instant fires = at("12:00:00").plusMillis(500L * i + phase + (i % 3 - 1) * 7);
            Instant due = rate.due(fires, last);
            if (due != null) {
                ran.add(due);
                last = due;
            }
        }
        assertThat(ran).doesNotHaveDuplicates().isSorted();
        // One may be missing where the instance first meets the limit.
        assertThat(ran).hasSizeGreaterThanOrEqualTo(59);
    }

    @Test
    void rateCountsFromTheEpochWheneverAnInstanceStarts() {
        Schedule rate = new Rate(Duration.ofMinutes(7));
        assertThat(rate.latest(Instant.EPOCH.plusSeconds(7 * 60 * 3 + 1)))
                .isEqualTo(Instant.EPOCH.plusSeconds(7 * 60 * 3));
    }

    /** Spring's expression looks ahead only. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 0 * * * *    | 2026-10-25 | Europe/Berlin",
                "0 30 2 * * *   | 2026-10-25 | Europe/Berlin",
                "0 30 2 * * *   | 2026-03-29 | Europe/Berlin",
                "0 0/10 1-3 * * * | 2026-03-29 | Europe/Berlin",
                "0 15 1 * * SUN | 2026-11-01 | America/New_York",
                // Half an hour comes twice, or not at all.
                "0 0/10 1-3 * * * | 2026-04-05 | Australia/Lord_Howe",
                "0 0/10 1-3 * * * | 2026-10-04 | Australia/Lord_Howe",
                "0 45 1 * * *   | 2026-04-05 | Australia/Lord_Howe",
                "0 15 2 * * *   | 2026-10-04 | Australia/Lord_Howe",
                "0 0 4 * * *    | 2026-06-01 | UTC"
            })
    void latestTickIsTheOneThatSpringHadBefore(String expression, LocalDate day, String zone) {
        Cron cron = new Cron(CronExpression.parse(expression), ZoneId.of(zone));
        Instant start = day.atStartOfDay(ZoneId.of(zone)).toInstant();
        TreeSet<Instant> fired = new TreeSet<>();
        for (Instant time = start.minus(Duration.ofDays(8));
                time.isBefore(start.plus(Duration.ofHours(6)));
                time = time.plusSeconds(60)) {
            Instant next = cron.next(time);
            fired.add(next);
        }
        for (Instant time = start; time.isBefore(start.plus(Duration.ofHours(6))); time = time.plusSeconds(150)) {
            assertThat(cron.latest(time)).as("at %s", time).isEqualTo(fired.floor(time));
            assertThat(cron.latest(time.minusMillis(1))).as("before %s", time).isEqualTo(fired.lower(time));
        }
    }

    @Test
    void rareTicksAreFound() {
        Instant now = Instant.parse("2027-01-01T00:00:00Z");
        assertThat(new Cron(CronExpression.parse("0 0 0 29 2 *"), ZoneId.of("UTC")).latest(now))
                .isEqualTo("2024-02-29T00:00:00Z");
        assertThat(new Cron(CronExpression.parse("* * * 1 1 *"), ZoneId.of("UTC")).latest(now.minusSeconds(1)))
                .isEqualTo("2026-01-01T23:59:59Z");
        assertThat(new Cron(CronExpression.parse("0 0 0 30 2 *"), ZoneId.of("UTC")).latest(now))
                .isNull();
    }
}
