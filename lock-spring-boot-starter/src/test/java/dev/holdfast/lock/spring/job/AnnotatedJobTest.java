package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A job that every instance of an application schedules and one of them runs. */
class AnnotatedJobTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    @Test
    void threeInstancesRunEachTickOnce() {
        String prefix = "jobs-" + System.nanoTime() + ":";
        List<Locked> instances = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                instances.add(Locked.instance(prefix, Job.class));
            }
            for (int tick = 0; tick < 4; tick++) {
                List<Integer> ran = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    // Each instance has another clock, and another one is the first to tick.
                    int instance = (tick + i) % 3;
                    instances.get(instance).bean(Job.class).run(() -> ran.add(instance));
                }
                assertThat(ran).containsExactly(tick % 3);
                // Instead of waiting for the end of the minimum hold.
                assertThat(instances.get(0).locks().forceRelease("job")).isTrue();
            }
        } finally {
            instances.forEach(Locked::close);
        }
    }

    @Test
    void runThatOutlivesItsLeaseStillRunsOnce() throws Exception {
        String prefix = "jobs-" + System.nanoTime() + ":";
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        CountDownLatch finish = new CountDownLatch(1);
        ExecutorService worker = Executors.newSingleThreadExecutor();
        try (Locked first = Locked.instance(prefix, LongJob.class);
                Locked second = Locked.instance(prefix, LongJob.class)) {
            Future<?> longRun = worker.submit(() -> first.bean(LongJob.class).run(() -> {
                runs.add("first");
                awaitQuietly(finish);
            }));
            // A renewal comes at a third of the lease: after three of them the first lease is over.
            Await.until(
                    "it outlives its lease",
                    PATIENCE,
                    () -> first.locks().statistics().renewals() >= 3);
            second.bean(LongJob.class).run(() -> runs.add("second"));
            finish.countDown();
            longRun.get(60, TimeUnit.SECONDS);
        } finally {
            finish.countDown();
            worker.shutdownNow();
        }
        assertThat(runs).containsExactly("first");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static class Job {

        @DistributedLock(name = "job", onBusy = OnBusy.SKIP, minHold = "1m")
        public void run(Runnable work) {
            work.run();
        }
    }

    static class LongJob {

        @DistributedLock(name = "job", onBusy = OnBusy.SKIP)
        public void run(Runnable work) {
            work.run();
        }
    }
}
