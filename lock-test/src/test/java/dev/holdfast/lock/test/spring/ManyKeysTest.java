package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.test.InMemoryLockClient;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;

/** A job whose lock has a key, which may be of any number of things. */
class ManyKeysTest {

    private static final int MOST = 1_000;

    @Test
    void instanceForgetsTheOldestOfMoreThanAThousandKeysAndNoJobWithoutOne() {
        try (InMemoryLockClient locks = InMemoryLockClient.create();
                AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(
                    "locks", LockClient.class, () -> locks, definition -> definition.setDestroyMethodName(""));
            context.register(LockInterceptionConfiguration.class, Jobs.class);
            context.refresh();
            for (int tenant = 0; tenant <= MOST; tenant++) {
                context.getBean(Jobs.class).bill(tenant);
            }
            assertThat(context.getBean(JobBoard.class).jobs("bill"))
                    .hasSize(MOST)
                    .extracting(JobBoard.Job::lock)
                    .contains("bill:" + MOST)
                    .doesNotContain("bill:0");
            assertThat(context.getBean(JobBoard.class).names()).containsExactly("bill", "report");
        }
    }

    static class Jobs {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick(name = "bill", key = "#tenant")
        public void bill(int tenant) {}

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("report")
        public void report() {}
    }
}
