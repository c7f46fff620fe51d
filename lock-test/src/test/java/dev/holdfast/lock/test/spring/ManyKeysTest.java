package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** A job whose lock has a key, which may be of any number of things. */
class ManyKeysTest {

    private static final int MOST = 1_000;

    @AutoClose
    private final LockedBeans application = new LockedBeans(Jobs.class);

    private final InMemoryLockClient locks = application.locks();
    private final Jobs jobs = application.bean(Jobs.class);

    @Test
    void instanceForgetsTheOldestOfMoreThanAThousandKeysAndNoJobWithoutOne() {
        for (int tenant = 0; tenant <= MOST; tenant++) {
            jobs.bill(tenant);
        }
        assertThat(application.bean(JobBoard.class).jobs("bill"))
                .hasSize(MOST)
                .extracting(JobBoard.Job::lock)
                .contains("bill:" + MOST)
                .doesNotContain("bill:0");
        assertThat(application.bean(JobBoard.class).names()).containsExactly("bill", "report");
    }

    /** Each key that is new lets the instance look soon. A look that is put off each time never comes. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void overdueJobIsFoundWhileNewKeysKeepComing(CapturedOutput output) {
        jobs.report();
        locks.advance(Duration.ofMinutes(1));
        long end = System.nanoTime() + Await.PATIENCE.toNanos();

        for (int tenant = 0;
                !output.toString().contains("Job 'report' is overdue") && System.nanoTime() < end;
                tenant++) {
            jobs.bill(tenant);
        }

        assertThat(output).contains("Job 'report' is overdue");
    }

    /** A look that finds the next tenant's job overdue also finds the one that was, and begins after the look before has ended. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void instanceWarnsOnceOfAnOverdueJob(CapturedOutput output) {
        jobs.report();
        List<Integer> warnings = new ArrayList<>();
        for (int tenant = 0; tenant < 4; tenant++) {
            jobs.check(tenant);
            locks.advance(Duration.ofMinutes(1));
            jobs.bill(tenant);
            String next = "Job 'check:" + tenant + "' is overdue";
            Await.until(next, Await.PATIENCE, () -> output.toString().contains(next));
            warnings.add(output.toString().split("Job 'report' is overdue", -1).length - 1);
        }

        assertThat(warnings.get(1)).isPositive();
        assertThat(warnings.get(3)).isEqualTo(warnings.get(1));
    }

    static class Jobs {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick(name = "bill", key = "#tenant")
        public void bill(int tenant) {}

        @Scheduled(cron = "* * * * * *", zone = "UTC")
        @OncePerTick(name = "check", key = "#tenant")
        public void check(int tenant) {}

        @Scheduled(cron = "* * * * * *", zone = "UTC")
        @OncePerTick("report")
        public void report() {}
    }
}
