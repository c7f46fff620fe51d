package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.TickTask;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Date;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/** A method whose callers name the tick. The server's clock begins at midnight. */
class GivenTicksTest {

    private static final Instant MIDNIGHT = Instant.parse("2026-01-01T00:00:00Z");

    @AutoClose
    private final LockedBeans application = new LockedBeans(Jobs.class);

    private final InMemoryLockClient locks = application.locks();
    private final Jobs jobs = application.bean(Jobs.class);

    @Test
    void tickRunsOnceHoweverLateACallNamesIt() {
        jobs.bill(MIDNIGHT);
        locks.advance(Duration.ofDays(1));
        jobs.bill(MIDNIGHT);
        assertThat(jobs.runs()).hasValue(1);
        assertThat(locks.getRecord("billing").read().text()).startsWith("tick 2026-01-01T00:00:00Z");
        jobs.bill(MIDNIGHT.plus(Duration.ofDays(1)));
        assertThat(jobs.runs()).hasValue(2);
    }

    @Test
    void earlierTickIsSkipped() {
        jobs.bill(MIDNIGHT);
        jobs.bill(MIDNIGHT.minusSeconds(10));
        assertThat(jobs.runs()).hasValue(1);
    }

    @Test
    void clockOfTheCallerMayBeSomewhatAhead() {
        jobs.bill(MIDNIGHT.plusSeconds(60));
        jobs.bill(MIDNIGHT.plusSeconds(60));
        assertThat(jobs.runs()).hasValue(1);
    }

    @Test
    void tickFarAheadIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> jobs.bill(MIDNIGHT.plusSeconds(3_600)))
                .withMessageStartingWith("The tick 2026-01-01T01:00:00Z lies ahead: it is 2026-01-01T00:00:00");
        assertThat(jobs.runs()).hasValue(0);
    }

    @Test
    void valueIsATimeOfAnyCommonType() {
        jobs.at(Date.from(MIDNIGHT));
        jobs.at(MIDNIGHT.atZone(ZoneId.of("Europe/Berlin")));
        jobs.at(MIDNIGHT.atZone(ZoneId.of("Europe/Berlin")).toOffsetDateTime());
        assertThat(jobs.runs()).hasValue(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> jobs.at("midnight"))
                .withMessageContaining("gives 'midnight', which is not a time");
        assertThatIllegalArgumentException().isThrownBy(() -> jobs.at(null));
    }

    @Test
    void tickOfAFailedRunRunsAgain() {
        assertThatThrownBy(() -> jobs.retried(MIDNIGHT, true)).hasMessage("no paper");
        jobs.retried(MIDNIGHT, false);
        jobs.retried(MIDNIGHT, false);
        assertThat(jobs.runs()).hasValue(1);
    }

    @Test
    void taskIsToldTheTimeThatHasCome() {
        BlockingQueue<Instant> told = new LinkedBlockingQueue<>();
        List<Instant> times = List.of(
                Instant.now().minusSeconds(10),
                Instant.now().minusSeconds(5),
                Instant.now().plusSeconds(60));
        AtomicInteger asked = new AtomicInteger();
        TickTask task = new TickTask(told::add, context -> times.get(asked.getAndIncrement()));

        task.getTrigger().nextExecution(new SimpleTriggerContext());
        task.getRunnable().run();
        // A scheduler with a thread for each run asks for the next time at once, and a run may be late.
        task.getTrigger().nextExecution(new SimpleTriggerContext());
        task.getTrigger().nextExecution(new SimpleTriggerContext());
        task.getRunnable().run();
        assertThat(told).containsExactly(times.get(0), times.get(1));
    }

    @Test
    void eachTimeOfATriggerIsATick() throws Exception {
        BlockingQueue<Instant> told = new LinkedBlockingQueue<>();
        TickTask task = new TickTask(told::add, new PeriodicTrigger(Duration.ofMillis(300)));
        try (SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler()) {
            scheduler.schedule(task.getRunnable(), task.getTrigger());
            Instant before = Instant.MIN;
            for (int i = 0; i < 4; i++) {
                Instant tick = told.poll(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(tick).isNotNull().isAfterOrEqualTo(before);
                before = tick;
            }
        }
    }

    static class Jobs {

        private final AtomicInteger runs = new AtomicInteger();

        // The proxy has fields of its own.
        AtomicInteger runs() {
            return runs;
        }

        @OncePerTick(name = "billing", tick = "#fireTime")
        public void bill(Instant fireTime) {
            runs.incrementAndGet();
        }

        @OncePerTick(name = "at", tick = "#p0")
        public void at(@Nullable Object time) {
            runs.incrementAndGet();
        }

        @OncePerTick(name = "retried", tick = "#fireTime", onFailure = OnFailure.RETRY, waitTime = "1m")
        public void retried(Instant fireTime, boolean fails) {
            if (fails) {
                throw new IllegalStateException("no paper");
            }
            runs.incrementAndGet();
        }
    }
}
