package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockPauses;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A scheduled call that waits for the run of another instance. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TakeOverTest {

    private static final Duration LEASE = Duration.ofSeconds(8);

    private final InMemoryLockClient locks = InMemoryLockClient.create();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final HandScheduler scheduler = new HandScheduler();
    private Jobs jobs;

    @BeforeEach
    void start() {
        context.registerBean("locks", LockClient.class, () -> locks, definition -> definition.setDestroyMethodName(""));
        context.registerBean("taskScheduler", HandScheduler.class, () -> scheduler);
        context.registerBean("settings", LockSettings.Source.class, Pausable::new);
        context.register(LockInterceptionConfiguration.class, Scheduling.class, Jobs.class);
        context.refresh();
        jobs = context.getBean(Jobs.class);
    }

    @AfterEach
    void close() {
        context.close();
        locks.close();
    }

    private static void ended(CompletableFuture<Void> call) throws Exception {
        call.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void tickOfADeadInstanceRunsInACallThatWaits() throws Exception {
        locks.holdElsewhere("report", LEASE);
        CompletableFuture<Void> waits = scheduler.fire("report");
        locks.awaitWaiters("report", 1);
        assertThat(jobs.reports()).hasValue(0);

        locks.advance(LEASE);
        ended(waits);
        assertThat(jobs.reports()).hasValue(1);
        assertThat(locks.getRecord("report").read().text()).startsWith("tick 2026-01-01T00:00:00Z");
        assertThat(locks.inspect("report")).isEmpty();
    }

    @Test
    void tickThatTheOtherInstanceHasRunDoesNotRunAgain() throws Exception {
        Lease other = locks.getLock("report").acquire();
        CompletableFuture<Void> waits = scheduler.fire("report");
        locks.awaitWaiters("report", 1);
        locks.getRecord("report").write(other, "tick 2026-01-01T00:00:00Z", Duration.ofHours(1));
        other.close();
        ended(waits);
        assertThat(jobs.reports()).hasValue(0);
        assertThat(locks.inspect("report")).isEmpty();
    }

    @Test
    void tickRunsOnceThoughTwoCallsOfOneInstanceWait() throws Exception {
        locks.holdElsewhere("report", LEASE);
        CompletableFuture<Void> first = scheduler.fire("report");
        CompletableFuture<Void> second = scheduler.fire("report");
        locks.awaitWaiters("report", 2);
        locks.advance(LEASE);
        ended(first);
        ended(second);
        assertThat(jobs.reports()).hasValue(1);
    }

    @Test
    void waitThatEndsSkipsTheTick() throws Exception {
        locks.holdElsewhere("report");
        CompletableFuture<Void> waits = scheduler.fire("report");
        locks.awaitWaiters("report", 1);
        locks.advance(Duration.ofMinutes(1));
        ended(waits);
        assertThat(jobs.reports()).hasValue(0);
    }

    @Test
    void waitIncludesAnOutage() throws Exception {
        locks.makeUnavailable();
        CompletableFuture<Void> waits = scheduler.fire("report");
        locks.awaitWaiters("report", 1);
        locks.makeAvailable();
        locks.advance(Duration.ofSeconds(5));
        ended(waits);
        assertThat(jobs.reports()).hasValue(1);
    }

    @Test
    void pauseThatBeginsInTheWaitSkipsTheRun() throws Exception {
        locks.holdElsewhere("report", LEASE);
        CompletableFuture<Void> waits = scheduler.fire("report");
        locks.awaitWaiters("report", 1);
        context.getBean(LockPauses.class).pause("report", Duration.ofHours(1), "olga", "wrong prices");
        locks.advance(LEASE);
        ended(waits);
        assertThat(jobs.reports()).hasValue(0);
        assertThat(locks.inspect("report")).isEmpty();
    }

    /** As the configuration {@code holdfast.pausable} of an application. */
    record Pausable() implements LockSettings.Source {
        @Override
        public LockSettings defaults() {
            return new LockSettings(null, null, null, null, null, null, null, null, true);
        }
    }

    @EnableScheduling
    static class Scheduling {}

    static class Jobs {

        private final AtomicInteger reports = new AtomicInteger();

        // The proxy has fields of its own.
        AtomicInteger reports() {
            return reports;
        }

        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick(name = "report", onFailure = OnFailure.RETRY, waitTime = "1m")
        public void report() {
            reports.incrementAndGet();
        }
    }
}
