package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.Tick;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.test.InMemoryLockClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Instances that start after a time when none lived. The server's clock begins at the tick of 2026, and the test moves it by years; Spring's
 * scheduler fires nothing.
 */
class MissedTicksTest {

    private static final List<Tick> MADE_UP = new CopyOnWriteArrayList<>();
    private static final List<Tick> SKIPPED = new CopyOnWriteArrayList<>();

    private final InMemoryLockClient locks = InMemoryLockClient.create();
    private final List<AnnotationConfigApplicationContext> instances = new ArrayList<>();

    @AfterEach
    void close() {
        instances.forEach(AnnotationConfigApplicationContext::close);
        locks.close();
        MADE_UP.clear();
        SKIPPED.clear();
    }

    private AnnotationConfigApplicationContext start(Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean("locks", LockClient.class, () -> locks, definition -> definition.setDestroyMethodName(""));
        context.register(LockInterceptionConfiguration.class, Scheduling.class);
        context.register(beans);
        context.refresh();
        instances.add(context);
        return context;
    }

    private static Instant tick(int year) {
        return Instant.parse(year + "-01-01T00:00:00Z");
    }

    @Test
    void callsAtTheStartMakeUpForMissedTicksOnce() {
        AnnotationConfigApplicationContext before = start(Jobs.class);
        before.getBean(Jobs.class).madeUp();
        before.getBean(Jobs.class).skipped();
        before.close();
        MADE_UP.clear();
        SKIPPED.clear();
        // The record is kept for 30 days after the second next tick.
        locks.advance(Duration.ofDays(745));

        AnnotationConfigApplicationContext first = start(Jobs.class);
        AnnotationConfigApplicationContext last = start(Jobs.class);
        first.getBean(Jobs.class).madeUp();
        last.getBean(Jobs.class).madeUp();

        assertThat(MADE_UP).containsExactly(new Tick(tick(2028), tick(2027), tick(2026)));
        assertThat(SKIPPED).isEmpty();
        assertThat(last.getBean(JobBoard.class).jobs())
                .filteredOn(job -> job.name().equals("skipped"))
                .extracting(JobBoard.Job::overdueSince)
                .containsExactly(tick(2027));
    }

    @Test
    void jobWithoutARecordIsNotOverdue() {
        locks.advance(Duration.ofDays(800));
        assertThat(start(Jobs.class).getBean(JobBoard.class).jobs())
                .extracting(JobBoard.Job::overdueSince)
                .containsOnlyNulls();
    }

    @EnableScheduling
    static class Scheduling {}

    static class Jobs {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("made-up")
        public void madeUp() {
            MADE_UP.add(LockContext.tick());
        }

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("skipped")
        public void skipped() {
            SKIPPED.add(LockContext.tick());
        }
    }
}
