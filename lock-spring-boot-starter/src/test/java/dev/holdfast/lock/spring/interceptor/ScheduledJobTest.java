package dev.holdfast.lock.spring.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A job that every instance of an application schedules and one of them runs. */
class ScheduledJobTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration TICK = Duration.ofMillis(1500);

    /** How far the instances' clocks are apart: less than the minimum hold of 500 ms, which is what it is for. */
    private static final List<Duration> SKEWS = List.of(Duration.ZERO, Duration.ofMillis(70), Duration.ofMillis(140));

    private record Run(int tick, int instance) {}

    @Test
    void threeInstancesWithSkewedClocksRunEachTickOnce() throws Exception {
        ConcurrentLinkedQueue<Run> runs = new ConcurrentLinkedQueue<>();
        ScheduledExecutorService clocks = Executors.newScheduledThreadPool(3);
        List<Locked> instances = new ArrayList<>();
        String prefix = "jobs-" + System.nanoTime() + ":";
        try {
            for (int i = 0; i < SKEWS.size(); i++) {
                instances.add(Locked.instance(prefix, Job.class));
            }
            AtomicInteger ticked = new AtomicInteger();
            for (int i = 0; i < SKEWS.size(); i++) {
                int instance = i;
                Job job = instances.get(i).bean(Job.class);
                AtomicInteger tick = new AtomicInteger();
                // The time itself is the subject: ticks at a fixed rate, each instance a little later than the last.
                clocks.scheduleAtFixedRate(
                        () -> {
                            int present = tick.incrementAndGet();
                            job.run(() -> runs.add(new Run(present, instance)));
                            ticked.incrementAndGet();
                        },
                        500 + SKEWS.get(i).toMillis(),
                        TICK.toMillis(),
                        TimeUnit.MILLISECONDS);
            }
            Await.until("four ticks of each", PATIENCE, () -> ticked.get() >= 12);
        } finally {
            clocks.shutdownNow();
            clocks.awaitTermination(5, TimeUnit.SECONDS);
            instances.forEach(Locked::close);
        }
        Map<Integer, Integer> byTick = new TreeMap<>();
        runs.forEach(run -> byTick.merge(run.tick(), 1, Integer::sum));
        assertThat(byTick).containsAllEntriesOf(Map.of(1, 1, 2, 1, 3, 1, 4, 1));
        assertThat(byTick.values()).allMatch(count -> count == 1);
    }

    @Test
    void runThatOutlivesItsLeaseStillRunsOnce() throws Exception {
        String prefix = "jobs-" + System.nanoTime() + ":";
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        ScheduledExecutorService worker = Executors.newSingleThreadScheduledExecutor();
        try (Locked first = Locked.instance(prefix, Job.class);
                Locked second = Locked.instance(prefix, Job.class)) {
            Instant began = Instant.now();
            var longRun = worker.submit(() -> first.bean(Job.class).run(() -> {
                runs.add("first");
                // Longer than the lease of the instances, a second.
                pause(Duration.ofMillis(2500));
            }));
            Await.until("the first runs", PATIENCE, () -> runs.size() == 1);
            while (Duration.between(began, Instant.now()).compareTo(Duration.ofMillis(2200)) < 0) {
                second.bean(Job.class).run(() -> runs.add("second"));
            }
            longRun.get(20, TimeUnit.SECONDS);
        } finally {
            worker.shutdownNow();
        }
        assertThat(runs).containsExactly("first");
    }

    @Test
    void jobOfAKilledInstanceIsTakenOverWithinOneLease() throws Exception {
        String prefix = "jobs-" + System.nanoTime() + ":";
        try (KilledInstance killed = KilledInstance.runningAJob(prefix);
                Locked survivor = Locked.instance(prefix, Job.class)) {
            AtomicInteger runs = new AtomicInteger();
            survivor.bean(Job.class).run(runs::incrementAndGet);
            assertThat(runs).hasValue(0);
            killed.kill();
            long died = System.nanoTime();
            Await.until("it is taken over", PATIENCE, () -> {
                survivor.bean(Job.class).run(runs::incrementAndGet);
                return runs.get() == 1;
            });
            Duration after = Duration.ofNanos(System.nanoTime() - died);
            assertThat(after).isLessThan(Locked.LEASE.plus(Duration.ofSeconds(1)));
        }
    }

    static void pause(Duration length) {
        try {
            Thread.sleep(length.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static class Job {

        @DistributedLock(name = "job", onBusy = OnBusy.SKIP, minHold = "500ms")
        public void run(Runnable work) {
            work.run();
        }
    }
}
