package dev.holdfast.lock.spring.pause;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.FixedSettings;
import dev.holdfast.lock.spring.fixture.Locked;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;

/** Pauses as this version reads them from a later one that says more, and as a later version must read those of this one. */
class GrownPausesTest {

    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final String UNTIL = Instant.now().plus(Duration.ofDays(1)).toString();

    private static Locked app;

    @BeforeAll
    static void start() {
        LockSettings pausable = new LockSettings(null, null, null, null, null, null, null, null, true);
        app = new Locked(
                context -> context.registerBean(
                        LockSettings.Source.class, () -> new FixedSettings(LockSettings.NONE, "paused-job", pausable)),
                Jobs.class);
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

    @Test
    void pauseWithMorePartsStopsTheJob() {
        app.writeRecord(PauseRecord.LOCK, UNTIL + "\tpaused-job\tolga\tINC-7\tonly host-a");
        jobs().pausable();
        assertThat(RUNS).hasValue(0);
        assertThat(app.bean(LockPauses.class).all())
                .singleElement()
                .satisfies(pause -> assertThat(pause.reason()).isEqualTo("INC-7"));
    }

    @Test
    void anotherPauseLeavesWhatALaterVersionWrote() {
        String later = UNTIL + "\tother\tolga\tINC-7\tonly host-a";
        app.writeRecord(PauseRecord.LOCK, later);
        app.bean(LockPauses.class).pause("paused-job", Duration.ofHours(1), "igor", "INC-8");
        assertThat(app.record(PauseRecord.LOCK).lines()).hasSize(2).contains(later);
        assertThat(app.bean(LockPauses.class).resume("paused-job", "igor")).isTrue();
        assertThat(app.record(PauseRecord.LOCK)).isEqualTo(later);
    }

    @Test
    void anotherPauseLeavesLinesThatThisVersionDoesNotKnow() {
        app.writeRecord(PauseRecord.LOCK, "all\tolga");
        app.bean(LockPauses.class).pause("paused-job", Duration.ofHours(1), "igor", "INC-8");
        assertThat(app.record(PauseRecord.LOCK).lines()).hasSize(2).contains("all\tolga");
        assertThat(app.bean(LockPauses.class).resume("paused-job", "igor")).isTrue();
        assertThat(app.record(PauseRecord.LOCK)).isEqualTo("all\tolga");
    }

    /** This form is read by all later versions. */
    @Test
    void pauseOfThisVersionHasFourParts() {
        app.writeRecord(PauseRecord.LOCK, UNTIL + "\tpaused-job\tolga\tINC-7");
        jobs().pausable();
        assertThat(RUNS).hasValue(0);
        app.bean(LockPauses.class).pause("paused-job", Duration.ofHours(1), "igor", "INC-8");
        assertThat(app.record(PauseRecord.LOCK)).matches("20\\S+Z\tpaused-job\tigor\tINC-8");
    }

    static class Jobs {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @DistributedLock(name = "paused-job")
        public void pausable() {
            RUNS.incrementAndGet();
        }
    }
}
