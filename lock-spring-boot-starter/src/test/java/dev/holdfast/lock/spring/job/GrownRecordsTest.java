package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.fixture.Locked;
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

        /** This form is read by all later versions. */
        @Test
        void tickOfThisVersionIsTheWordAndTheTime() {
            app.writeRecord("job", "tick 2020-01-01T00:00:00Z");
            jobs().tick();
            assertThat(app.record("job")).matches("tick 20\\d\\d-01-01T00:00:00Z");
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

        /** This form is read by all later versions. */
        @Test
        void runOfThisVersionHasFourWords() {
            app.writeRecord("migrate", "ran 2026-01-01T00:00:00Z 1 shop@host-a:4711");
            jobs().migrate();
            assertThat(app.record("migrate").lines().findFirst().orElseThrow()).matches("ran 20\\S+Z 2 .+");
        }
    }

    static class Jobs {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "job", oncePerTick = true, onBusy = OnBusy.SKIP)
        public void tick() {
            RUNS.incrementAndGet();
        }

        @RunOnce(name = "migrate", per = "2", onFailure = OnFailure.STOP)
        public void migrate() {
            RUNS.incrementAndGet();
        }
    }
}
