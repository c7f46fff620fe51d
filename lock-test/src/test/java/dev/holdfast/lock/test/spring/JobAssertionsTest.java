package dev.holdfast.lock.test.spring;

import static dev.holdfast.lock.test.spring.JobAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.JobBoard.Job;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.test.InMemoryLockClient;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs on a clock that the test moves: when a tick runs, what a test can say of it, and when a job is overdue. The server's clock begins at midnight. */
class JobAssertionsTest {

    private static final Instant MIDNIGHT = Instant.parse("2026-01-01T00:00:00Z");

    @AutoClose
    private final LockedBeans application = new LockedBeans(Jobs.class);

    private final InMemoryLockClient locks = application.locks();
    private final Jobs jobs = application.bean(Jobs.class);
    private final JobBoard board = application.bean(JobBoard.class);

    private Job report() {
        return board.jobs().get(0);
    }

    private void failedReport() {
        jobs.failWith(new IllegalStateException("no paper"));
        assertThatThrownBy(jobs::report).hasMessage("no paper");
        jobs.failWith(null);
    }

    @Test
    void runsAreCountedByTheirOutcome() {
        jobs.report();
        locks.advance(Duration.ofSeconds(10));
        failedReport();
        assertThat(board)
                .succeeded("report", 1)
                .failed("report", IllegalStateException.class, 1)
                .missedNoTick("report");
        assertThatThrownBy(() -> assertThat(board).succeeded("report", 2))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Job 'report' succeeded 1 times, not 2 times")
                .hasMessageContaining("FAILED");
        assertThatThrownBy(() -> assertThat(board).succeeded("other", 2)).hasMessageContaining("Known jobs: [report]");
    }

    @Test
    void tickThatNobodyRanIsMissed() {
        jobs.report();
        locks.advance(Duration.ofSeconds(30));
        jobs.report();
        assertThatThrownBy(() -> assertThat(board).missedNoTick("report")).hasMessageContaining("missed 2 ticks");
    }

    @Test
    void jobIsOverdueFromHalfThePeriodAfterATickThatNobodyRan() {
        jobs.report();
        locks.advance(Duration.ofSeconds(14));
        assertThat(report().overdueSince()).isNull();
        locks.advance(Duration.ofSeconds(1));
        assertThat(report().overdueSince()).isEqualTo(MIDNIGHT.plusSeconds(10));
        locks.advance(Duration.ofSeconds(60));
        assertThat(report().overdueSince()).isEqualTo(MIDNIGHT.plusSeconds(10));
        jobs.report();
        assertThat(report().overdueSince()).isNull();
    }

    @Test
    void tickThatRedisDidNotAnswerForSaysSo() {
        jobs.report();
        locks.advance(Duration.ofSeconds(10));
        locks.makeUnavailable();
        assertThatThrownBy(jobs::report).isInstanceOf(LockUnavailableException.class);
        assertThatThrownBy(board::jobs).isInstanceOf(LockUnavailableException.class);
        locks.makeAvailable();
        locks.advance(Duration.ofSeconds(10));
        jobs.report();
        assertThat(report().history()).hasSize(3);
        assertThat(report().history().get(1).tick()).isEqualTo(MIDNIGHT.plusSeconds(10));
    }

    @Test
    void tickRunsOnceHoweverLateItIsFiredAgain() {
        jobs.report();
        locks.advance(Duration.ofSeconds(5));
        jobs.report();
        assertThat(board).succeeded("report", 1);

        locks.advance(Duration.ofSeconds(15));
        jobs.report();
        jobs.report();
        assertThat(board).succeeded("report", 2);
        assertThat(locks.getRecord("report").read().text()).startsWith("tick 2026-01-01T00:00:20Z\n");
    }

    @Test
    void busyCallLeavesTheTickToOthers() {
        locks.nextAcquisitionIsBusy("report");
        jobs.report();
        assertThat(board).succeeded("report", 0);

        jobs.report();
        assertThat(board).succeeded("report", 1);
    }

    @Test
    void tickFarAheadIsIgnored() {
        try (Lease other = locks.getLock("report").acquire()) {
            locks.getRecord("report").write(other, "tick 2030-01-01T00:00:00Z", Duration.ofDays(9999 / 3));
        }
        jobs.report();
        jobs.report();
        assertThat(board).succeeded("report", 1);
    }

    static class Jobs {

        private RuntimeException failure;

        // The proxy has fields of its own.
        void failWith(RuntimeException next) {
            failure = next;
        }

        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick("report")
        public void report() {
            if (failure != null) {
                throw failure;
            }
        }
    }
}
