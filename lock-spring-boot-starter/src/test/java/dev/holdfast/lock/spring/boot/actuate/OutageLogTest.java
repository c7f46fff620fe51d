package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.redis.RedisLockClient;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** What a whole application writes to its log in an outage, from all loggers: few lines, however much it goes on asking. */
@Timeout(Await.TEST_SECONDS)
@Nightly(inEachBuild = "LossLogTest, and RateLimitedLogTest")
class OutageLogTest {

    /** Long enough for every lease to be lost and every kind of retry to come round many times; a minute when asked. */
    private static final Duration OUTAGE = Duration.ofSeconds(Nightly.Night.isOn() ? 60 : 6);

    private static final Duration LIMIT = Await.PATIENCE;
    private static final int HELD = 20;
    private static final int CALLERS = 4;

    private final String id = UUID.randomUUID().toString();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger polls = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    enum Outage {
        REFUSES,
        HANGS
    }

    @ParameterizedTest
    @EnumSource
    void outageIsFewLines(Outage outage) throws Exception {
        List<String> lines;
        try (FaultProxy proxy = FaultProxy.to(RedisServer.shared().port());
                OperatedApplication application = OperatedApplication.of(
                        List.of(Work.class),
                        "spring.data.redis.port=" + proxy.port(),
                        "holdfast.key-prefix=" + id + ":",
                        "holdfast.watchdog-timeout=4s",
                        "holdfast.wait-time=100ms",
                        "holdfast.locks.order.wait-time=300ms",
                        "management.health.holdfast.timeout=300ms",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.health.group.readiness.include=readinessState,holdfast")) {
            Work work = application.bean(Work.class);
            Await.until("locks work", LIMIT, () -> work.quietRuns() > 0 && work.loudRuns() > 0);
            List<Lease> held = IntStream.range(0, HELD)
                    .mapToObj(i -> application
                            .locks()
                            .getLock("held-" + i)
                            .acquire(AcquireOptions.defaults().waitAtMost(LIMIT)))
                    .toList();
            CountDownLatch inBody = new CountDownLatch(1);
            CountDownLatch finish = new CountDownLatch(1);
            var body =
                    threads.submit(() -> catchThrowable(() -> application.jobs().order("body", "", () -> {
                        inBody.countDown();
                        Locked.await(finish);
                    })));
            assertThat(inBody.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("the body began")
                    .isTrue();
            poll(application);

            try (EveryLogLine log = EveryLogLine.record()) {
                begin(outage, proxy);
                for (int i = 0; i < CALLERS; i++) {
                    String key = "tried-" + i;
                    again(10, () -> {
                        assertThat(catchThrowable(() -> application.jobs().order(key, "", () -> {})))
                                .isInstanceOf(LockUnavailableException.class);
                        refused.incrementAndGet();
                    });
                }
                again(1000, () -> poll(application));

                // Time is the subject: nothing may be said again and again.
                Thread.sleep(OUTAGE.toMillis());

                over.set(true);
                threads.shutdown();
                finish.countDown();
                assertThat(body.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isNotNull();
                assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
                proxy.heal();
                int quiet = work.quietRuns();
                Await.until("jobs run again", LIMIT, () -> work.quietRuns() > quiet);
                // Says what it has not said yet.
                application.bean(RedisLockClient.class).close(Duration.ofSeconds(20));
                lines = log.lines();
            }
            assertThat(held).noneMatch(Lease::isHeld);
            assertThat(refused.get()).isGreaterThan(CALLERS);
            assertThat(polls.get()).isGreaterThan(1);
        }
        // What Spring writes each time that a scheduled method throws is the application's to settle.
        List<String> schedulers = lines.stream()
                .filter(line -> line.contains("Unexpected error occurred in scheduled task"))
                .toList();
        List<String> ours = new ArrayList<>(lines);
        ours.removeAll(schedulers);
        // Not by a logger: which of them are quiet is settled by the tests around this one.
        System.out.printf(
                "%s for %s: %d lines, %d more of the scheduler, %s refused calls, %s polls%n",
                outage, OUTAGE, ours.size(), schedulers.size(), refused, polls);
        assertThat(schedulers).isNotEmpty();
        assertThat(ours)
                .hasSizeLessThan(20)
                .anyMatch(line -> line.contains("Lost the lease"))
                .anyMatch(line -> line.contains("more leases"));
    }

    private static void begin(Outage outage, FaultProxy proxy) {
        if (outage == Outage.HANGS) {
            proxy.blackHole();
        } else {
            proxy.refuseConnections();
            proxy.resetConnections();
        }
    }

    private void again(long pauseMillis, Runnable step) {
        threads.execute(() -> {
            while (!over.get()) {
                step.run();
                pause(pauseMillis);
            }
        });
    }

    private void poll(OperatedApplication application) {
        for (String path : List.of("health/holdfast", "health/readiness")) {
            assertThat(application.get("/actuator/" + path).statusCode()).isIn(503, 200);
        }
        for (String path : List.of("locks", "metrics/holdfast.lock.held", "metrics/holdfast.lock.acquire")) {
            assertThat(application.get("/actuator/" + path).statusCode()).isEqualTo(200);
        }
        polls.incrementAndGet();
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Public: its proxy is of another class loader where Spring Security is filtered out. */
    @EnableScheduling
    public static class Work {

        private final AtomicInteger quietRuns = new AtomicInteger();
        private final AtomicInteger loudRuns = new AtomicInteger();

        public int quietRuns() {
            return quietRuns.get();
        }

        public int loudRuns() {
            return loudRuns.get();
        }

        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "quiet", onUnavailable = OnUnavailable.SKIP)
        public void quiet() {
            quietRuns.incrementAndGet();
        }

        @Scheduled(fixedRate = 1000)
        @DistributedLock(name = "loud")
        public void loud() {
            loudRuns.incrementAndGet();
        }
    }
}
