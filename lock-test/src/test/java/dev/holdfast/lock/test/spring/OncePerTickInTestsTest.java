package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.test.InMemoryLockClient;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** A method that runs once per tick, on a clock that the test moves. The server's clock begins at midnight. */
class OncePerTickInTestsTest {

    @AutoClose
    private final LockedBeans application = new LockedBeans(Jobs.class);

    private final InMemoryLockClient locks = application.locks();
    private final Jobs jobs = application.bean(Jobs.class);

    @Test
    void tickRunsOnceHoweverLateItIsFiredAgain() {
        jobs.report();
        locks.advance(Duration.ofSeconds(5));
        jobs.report();
        assertThat(jobs.reports()).isEqualTo(1);

        locks.advance(Duration.ofSeconds(15));
        jobs.report();
        jobs.report();
        assertThat(jobs.reports()).isEqualTo(2);
        assertThat(locks.getRecord("report").read().text()).startsWith("tick 2026-01-01T00:00:20Z\n");
    }

    @Test
    void tickOfAFailedRunCounts() {
        jobs.fail(true);
        assertThatThrownBy(jobs::report).hasMessage("no paper");
        jobs.fail(false);
        jobs.report();
        assertThat(jobs.reports()).isEqualTo(1);
        locks.advance(Duration.ofSeconds(10));
        jobs.report();
        assertThat(jobs.reports()).isEqualTo(2);
    }

    @Test
    void busyCallLeavesTheTickToOthers() {
        Lease other = locks.getLock("report").acquire();
        locks.nextAcquisitionIsBusy("lazy");
        jobs.lazy();
        assertThat(jobs.lazyRuns()).isZero();
        jobs.lazy();
        assertThat(jobs.lazyRuns()).isEqualTo(1);
        other.close();
    }

    @Test
    void tickFarAheadIsIgnored() {
        try (Lease other = locks.getLock("report").acquire()) {
            locks.getRecord("report").write(other, "tick 2030-01-01T00:00:00Z", Duration.ofDays(9999 / 3));
        }
        jobs.report();
        jobs.report();
        assertThat(jobs.reports()).isEqualTo(1);
    }

    @Test
    void redisThatIsAwayIsTheUnavailablePolicys() {
        locks.makeUnavailable();
        assertThatThrownBy(jobs::report).isInstanceOf(LockUnavailableException.class);
        locks.makeAvailable();
        jobs.report();
        assertThat(jobs.reports()).isEqualTo(1);
    }

    @Test
    void recordThatAFailoverForgotLetsTheTickRunAgain() {
        jobs.report();
        try (Lease other = locks.getLock("report").acquire()) {
            locks.getRecord("report").write(other, "tick 2025-12-31T23:59:50Z", Duration.ofHours(1));
        }
        jobs.report();
        assertThat(jobs.reports()).isEqualTo(2);
    }

    @Test
    void publisherRunsATickOnceToo() {
        assertThat(jobs.published().blockOptional()).contains("done");
        assertThat(jobs.published().blockOptional()).isEmpty();
        locks.advance(Duration.ofSeconds(10));
        assertThat(jobs.published().blockOptional()).contains("done");
        assertThat(locks.heldLocks()).isEmpty();
    }

    static class Jobs {

        private int reports;
        private int lazyRuns;
        private boolean fails;

        // The proxy has fields of its own.
        int reports() {
            return reports;
        }

        int lazyRuns() {
            return lazyRuns;
        }

        void fail(boolean yes) {
            fails = yes;
        }

        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick(name = "report", waitTime = "3s")
        public void report() {
            reports++;
            if (fails) {
                throw new IllegalStateException("no paper");
            }
        }

        @Scheduled(fixedRate = 10_000)
        @OncePerTick("lazy")
        public void lazy() {
            lazyRuns++;
        }

        @Scheduled(fixedRate = 10_000)
        @OncePerTick("published")
        public Mono<String> published() {
            return Mono.just("done");
        }
    }
}
