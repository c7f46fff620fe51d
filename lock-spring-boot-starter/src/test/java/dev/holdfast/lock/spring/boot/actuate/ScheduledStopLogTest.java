package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import reactor.core.publisher.Mono;

/** An application with scheduled methods stops in good order: without a warning, and locked methods that have not begun are canceled. */
class ScheduledStopLogTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    @Test
    void lockedMethodThatWaitsForTheSchedulersThreadDoesNotRunOnceTheApplicationStops() throws Exception {
        OperatedApplication application =
                OperatedApplication.of(List.of(Scheduling.class), "holdfast.key-prefix=" + UUID.randomUUID() + ":");
        try (application) {
            Runs runs = application.bean(Runs.class);
            assertThat(runs.busy.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            // One of them may have been first.
            List<Integer> before = runs.counts();
            ThreadPoolTaskScheduler scheduler = application.bean(ThreadPoolTaskScheduler.class);
            Await.until("all three wait for the thread", PATIENCE, () -> waiting(scheduler) == 3);
            application.locks().getLock("used").acquire().close();
            assertThat(logOfStopping(application))
                    .noneMatch(line -> line.startsWith("WARN") || line.startsWith("ERROR"));
            assertThat(runs.counts()).isEqualTo(before);
            assertThat(runs.leftAtTheStop)
                    .as("Spring may still run the one without a lock")
                    .isOne();
        }
    }

    private static List<String> logOfStopping(OperatedApplication application) {
        try (EveryLogLine log = EveryLogLine.record()) {
            application.close();
            return log.lines();
        }
    }

    private static long waiting(ThreadPoolTaskScheduler scheduler) {
        return scheduler.getScheduledThreadPoolExecutor().getQueue().stream()
                .filter(task -> task instanceof RunnableScheduledFuture<?> run
                        && !run.isCancelled()
                        && run.getDelay(TimeUnit.NANOSECONDS) < 0)
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {

        @Bean
        Runs runs() {
            return new Runs();
        }

        @Bean
        ScheduledJobs scheduledJobs(Runs runs) {
            return new ScheduledJobs(runs);
        }

        /** Ends the long job when every part of the application knows that it stops, and before the scheduler waits for it. */
        @Bean
        SmartLifecycle endOfTheLongJob(Runs runs, ThreadPoolTaskScheduler scheduler) {
            return new SmartLifecycle() {
                private volatile boolean running;

                @Override
                public void start() {
                    running = true;
                }

                @Override
                public void stop() {
                    running = false;
                    runs.leftAtTheStop = waiting(scheduler);
                    runs.finish.countDown();
                }

                @Override
                public boolean isRunning() {
                    return running;
                }
            };
        }
    }

    static final class Runs {
        final CountDownLatch busy = new CountDownLatch(1);
        final CountDownLatch finish = new CountDownLatch(1);
        final AtomicInteger locked = new AtomicInteger();
        final AtomicInteger reactive = new AtomicInteger();
        volatile long leftAtTheStop;

        List<Integer> counts() {
            return List.of(locked.get(), reactive.get());
        }
    }

    /** Spring's scheduler has one thread. Public: the proxy is of another class loader. */
    public static class ScheduledJobs {

        private final Runs runs;

        ScheduledJobs(Runs runs) {
            this.runs = runs;
        }

        @Scheduled(initialDelay = 0)
        public void occupyTheThread() throws InterruptedException {
            runs.busy.countDown();
            runs.finish.await();
        }

        @Scheduled(cron = "* * * * * *")
        @DistributedLock(name = "blocking", onBusy = OnBusy.SKIP)
        public void locked() {
            runs.locked.incrementAndGet();
        }

        @Scheduled(cron = "* * * * * *")
        @DistributedLock(name = "reactive", onBusy = OnBusy.SKIP)
        public Mono<Void> reactive() {
            return Mono.fromRunnable(runs.reactive::incrementAndGet);
        }

        @Scheduled(cron = "* * * * * *")
        public void unlocked() {}
    }
}
