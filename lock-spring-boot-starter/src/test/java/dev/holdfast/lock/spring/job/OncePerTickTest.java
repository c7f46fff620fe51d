package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Three instances on a real Redis. Their schedule has one tick a year, so each test decides when the next tick begins: it replaces the last tick by
 * that of a year before.
 */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OncePerTickTest {

    private static final int TICKS = 30;

    private static List<Locked> instances = List.of();

    @BeforeAll
    static void start() {
        String prefix = "ticks-" + System.nanoTime() + ":";
        instances = Stream.generate(() -> Locked.instance(prefix, Job.class))
                .limit(3)
                .toList();
    }

    @AfterAll
    static void stop() {
        instances.forEach(Locked::close);
    }

    @BeforeEach
    void nextTick() {
        instances.get(0).writeRecord("job", "tick 2020-01-01T00:00:00Z");
    }

    @Test
    void eachTickRunsOnceWhenAllInstancesFireTogether() {
        AtomicInteger runs = new AtomicInteger();
        for (int tick = 1; tick <= TICKS; tick++) {
            nextTick();
            firedByAll(runs::incrementAndGet);
            firedByAll(runs::incrementAndGet);
            assertThat(runs).hasValue(tick);
        }
    }

    /** It has no tick that could have run already, or that a record could keep. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void jobWhoseScheduleIsSwitchedOffRunsAtEachCall(CapturedOutput output) {
        AtomicInteger runs = new AtomicInteger();
        for (Locked instance : instances) {
            instance.bean(Job.class).switchedOff(runs::incrementAndGet);
        }
        assertThat(runs).hasValue(3);
        assertThat(instances.get(0).record("off")).isNull();
        assertThat(output).doesNotContain("could not be recorded");
    }

    private static void firedByAll(Runnable body) {
        List<CompletableFuture<Void>> fired = instances.stream()
                .map(instance -> CompletableFuture.runAsync(
                        () -> instance.bean(Job.class).run(body), task -> new Thread(task).start()))
                .toList();
        fired.forEach(CompletableFuture::join);
    }

    static class Job {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick(name = "job", waitTime = "20s")
        public void run(Runnable body) {
            body.run();
        }

        @Scheduled(cron = Scheduled.CRON_DISABLED)
        @OncePerTick("off")
        public void switchedOff(Runnable body) {
            body.run();
        }
    }
}
