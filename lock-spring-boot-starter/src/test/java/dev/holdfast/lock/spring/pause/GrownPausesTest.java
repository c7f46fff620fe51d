package dev.holdfast.lock.spring.pause;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.pause.PausedCallTest.Jobs;
import dev.holdfast.lock.spring.pause.PausedCallTest.Pausable;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pauses as this version reads them from a later one that says more, and as a later version must read those of this one. */
class GrownPausesTest {

    private static final String UNTIL = Instant.now().plus(Duration.ofDays(1)).toString();

    @AutoClose
    private static Locked app;

    private static LockPauses pauses;

    @BeforeAll
    static void start() {
        app = Locked.application(Jobs.class, Pausable.class);
        pauses = app.bean(LockPauses.class);
    }

    @BeforeEach
    void forget() {
        Jobs.RUNS.set(0);
    }

    @Test
    void pauseWithMorePartsStopsTheJob() {
        app.writeRecord(PauseRecord.LOCK, UNTIL + "\tjob\tolga\tINC-7\tonly host-a");
        app.bean(Jobs.class).tick();
        assertThat(Jobs.RUNS).hasValue(0);
        assertThat(pauses.all())
                .singleElement()
                .satisfies(pause -> assertThat(pause.reason()).isEqualTo("INC-7"));
    }

    @Test
    void anotherPauseLeavesWhatALaterVersionWrote() {
        String later = UNTIL + "\tother\tolga\tINC-7\tonly host-a";
        app.writeRecord(PauseRecord.LOCK, later);
        pauses.pause("job", Duration.ofHours(1), "igor", "INC-8");
        assertThat(app.record(PauseRecord.LOCK).lines()).hasSize(2).contains(later);
        assertThat(pauses.resume("job", "igor")).isTrue();
        assertThat(app.record(PauseRecord.LOCK)).isEqualTo(later);
    }

    @Test
    void anotherPauseLeavesLinesThatThisVersionDoesNotKnow() {
        app.writeRecord(PauseRecord.LOCK, "all\tolga");
        pauses.pause("job", Duration.ofHours(1), "igor", "INC-8");
        assertThat(app.record(PauseRecord.LOCK).lines()).hasSize(2).contains("all\tolga");
        assertThat(pauses.resume("job", "igor")).isTrue();
        assertThat(app.record(PauseRecord.LOCK)).isEqualTo("all\tolga");
    }

    /** This form is read by all later versions. */
    @Test
    void pauseOfThisVersionHasFourParts() {
        app.writeRecord(PauseRecord.LOCK, UNTIL + "\tjob\tolga\tINC-7");
        app.bean(Jobs.class).tick();
        assertThat(Jobs.RUNS).hasValue(0);
        pauses.pause("job", Duration.ofHours(1), "igor", "INC-8");
        assertThat(app.record(PauseRecord.LOCK)).matches("20\\S+Z\tjob\tigor\tINC-8");
    }
}
