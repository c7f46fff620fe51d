package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockRecord;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.fixture.Locked;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;

/** The texts beside locks, as this version reads them from a later one that says more, and as a later version must read those of this one. */
class GrownRecordsTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    private static Locked app;

    @BeforeAll
    static void start() {
        app = Locked.application(Jobs.class);
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @BeforeEach
    void forget() {
        RUNS.set(0);
    }

    private static Jobs jobs() {
        return app.bean(Jobs.class);
    }

    @Nested
    class Ticks {

        @Test
        void tickWithMoreWordsAndLinesHasRun() {
            app.writeRecord("job", "tick 2020-01-01T00:00:00Z");
            jobs().tick();
            app.writeRecord("job", app.record("job") + " on shop@host-a:4711\nmore");
            jobs().tick();
            assertThat(RUNS).hasValue(1);
        }

        @Test
        void textThatNoVersionWritesIsDropped() {
            app.writeRecord("job", "2020-01-01T00:00:00Z");
            jobs().tick();
            assertThat(RUNS).hasValue(1);
            assertThat(app.record("job").lines()).doesNotContain("2020-01-01T00:00:00Z");
        }

        /** This form is read by all later versions. */
        @Test
        void tickOfThisVersionIsTheWordAndTheTime() {
            app.writeRecord("job", "tick 2020-01-01T00:00:00Z");
            jobs().tick();
            assertThat(app.record("job").lines().findFirst().orElseThrow()).matches("tick 20\\d\\d-01-01T00:00:00Z");
        }

        @Test
        void linesOfALaterVersionStay() {
            app.writeRecord("job", """
                    tick 2020-01-01T00:00:00Z on host-a
                    moved 2020-01-01T00:00:00Z to host-b
                    run 2020-01-01T00:00:00Z 5 7 resumed shop@host-a\tin 2 steps
                    run 2019-01-01T00:00:00Z 5 7 succeeded shop@host-a\tin 2 steps""");
            jobs().tick();
            assertThat(RUNS).hasValue(1);
            assertThat(app.record("job").lines())
                    .contains(
                            "moved 2020-01-01T00:00:00Z to host-b",
                            "run 2020-01-01T00:00:00Z 5 7 resumed shop@host-a\tin 2 steps",
                            "run 2019-01-01T00:00:00Z 5 7 succeeded shop@host-a\tin 2 steps");
        }

        /** The history that instances with the board keep is such a line, too. */
        @Test
        void linesOfALaterVersionStayBesideAGivenTick() {
            app.writeRecord("given", "tick 2020-01-01T00:00:00Z\nmoved 2020-01-01T00:00:00Z to host-b");
            jobs().given(Instant.parse("2021-01-01T00:00:00Z"));
            assertThat(RUNS).hasValue(1);
            assertThat(app.record("given"))
                    .isEqualTo("tick 2021-01-01T00:00:00Z\nmoved 2020-01-01T00:00:00Z to host-b");
        }

        @Test
        void oldestRunsOfLongTextsAreLeftOut() {
            Instant tick = Instant.parse("2026-01-01T00:00:00Z");
            TickRecord.Run run = new TickRecord.Run(tick, tick, "ä".repeat(200))
                    .ended(Duration.ofDays(300), TickRecord.Run.FAILED, "a.".repeat(200));
            String text = TickRecord.of(null)
                    .withLast(tick)
                    .with(Collections.nCopies(30, run))
                    .text();
            assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(3_700, LockRecord.MAX_BYTES);
            assertThat(TickRecord.of(text).notes()).hasSizeBetween(10, 19);
            assertThat(TickRecord.of(text).last()).isEqualTo(tick);
        }

        @Test
        void linesAreReadAsTheyAreWritten() {
            TickRecord.Run run = new TickRecord.Run(
                    Instant.parse("2026-01-01T00:00:00Z"),
                    Instant.parse("2025-12-31T23:59:59.900Z"),
                    "a shop @ host:4711");
            TickRecord.Run failed = run.ended(Duration.ofMillis(41_700), TickRecord.Run.FAILED, "a.B$C");
            TickRecord.Gap missed = new TickRecord.Gap(
                    Instant.parse("2024-01-01T00:00:00Z"), Instant.parse("2025-01-01T00:00:00Z"), 2, "paused");
            TickRecord record = TickRecord.of(null).with(List.of(run, failed, missed));
            assertThat(TickRecord.of(record.text())).isEqualTo(record);
            assertThat(TickRecord.of(record.text()).notes()).containsExactly(run, failed, missed);
            assertThat(failed.text()).isEqualTo("run 2026-01-01T00:00:00Z -100 41700 failed:a.B$C a shop @ host:4711");
            assertThat(missed.text()).isEqualTo("missed 2024-01-01T00:00:00Z 2025-01-01T00:00:00Z 2 paused");
        }
    }

    @Nested
    class Deployments {

        @Test
        void runWithMorePartsHasRun() {
            app.writeRecord("migrate", "ran 2026-01-01T00:00:00Z 2 shop@host-a:4711\ttook 5s");
            jobs().migrate();
            assertThat(RUNS).hasValue(0);
        }

        @Test
        void runThatBeganWithMorePartsIsKnown() {
            app.writeRecord("migrate", "began 2026-01-01T00:00:00Z 2 shop@host-a:4711\ttook 5s");
            assertThatThrownBy(jobs()::migrate)
                    .isInstanceOf(EarlierRunFailedException.class)
                    .hasMessageContaining("on shop@host-a:4711 from");
        }

        @Test
        void whatALaterVersionWroteStays() {
            app.writeRecord(
                    "migrate",
                    "ran 2026-01-01T00:00:00Z 1 shop@host-a:4711\ttook 5s\nundone 2025-01-01T00:00:00Z 0 shop@host-b");
            jobs().migrate();
            assertThat(RUNS).hasValue(1);
            assertThat(app.record("migrate").lines())
                    .hasSize(3)
                    .contains(
                            "ran 2026-01-01T00:00:00Z 1 shop@host-a:4711\ttook 5s",
                            "undone 2025-01-01T00:00:00Z 0 shop@host-b");
        }
    }

    static class Jobs {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("job")
        public void tick() {
            RUNS.incrementAndGet();
        }

        @OncePerTick(name = "given", tick = "#at")
        public void given(Instant at) {
            RUNS.incrementAndGet();
        }

        @RunOnce(name = "migrate", per = "2", onFailure = OnFailure.STOP)
        public void migrate() {
            RUNS.incrementAndGet();
        }
    }
}
