package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A process is killed in the middle of a tick. The scheduler of the other instance, which has one thread, runs the same tick. */
@OneAtATime
class TakeOverAfterKillTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void tickOfAKilledProcessRunsElsewhereOnASchedulerWithOneThread() throws Exception {
        String prefix = "takeover-" + System.nanoTime() + ":";
        String uri = RedisServer.shared().uri().toURI().toString();
        try (ChildJvm killed = ChildJvm.start(List.of(), List.of(), TakeOverAfterKillTest.class, uri, prefix)) {
            killed.await("runs");
            try (Locked survivor = Locked.instance(prefix, Scheduling.class, Job.class, OtherJob.class)) {
                Await.until(
                        "it waits",
                        PATIENCE,
                        () -> !survivor.locks().waitingLocks().isEmpty());
                int before = survivor.bean(OtherJob.class).runs().get();
                Await.until(
                        "the scheduler's thread is free",
                        PATIENCE,
                        () -> survivor.bean(OtherJob.class).runs().get() > before + 3);
                assertThat(survivor.bean(Job.class).runs()).hasValue(0);

                killed.signal("KILL");
                Await.until(
                        "the tick runs here",
                        PATIENCE,
                        () -> survivor.bean(Job.class).runs().get() == 1);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        try (Locked instance = Locked.instance(args[0], args[1], Scheduling.class, Endless.class, Job.class)) {
            // The parent ends this process.
            new CountDownLatch(1).await();
            throw new IllegalStateException("Nobody ended " + instance);
        }
    }

    @EnableScheduling
    static class Scheduling {}

    static class Endless extends CountDownLatch {
        Endless() {
            super(1);
        }
    }

    static class Job {

        private final ObjectProvider<Endless> endless;
        private final AtomicInteger runs = new AtomicInteger();

        Job(ObjectProvider<Endless> endless) {
            this.endless = endless;
        }

        // The proxy has fields of its own.
        AtomicInteger runs() {
            return runs;
        }

        /** Fires at the start, and in the same tick for some years. */
        @Scheduled(fixedRate = 300_000_000_000L)
        @DistributedLock(
                name = "job",
                oncePerTick = true,
                onFailure = OnFailure.RETRY,
                onBusy = OnBusy.SKIP,
                waitTime = "10m")
        public void run() throws InterruptedException {
            runs.incrementAndGet();
            Endless forever = endless.getIfAvailable();
            if (forever != null) {
                System.out.println("runs");
                forever.await();
            }
        }
    }

    static class OtherJob {

        private final AtomicInteger runs = new AtomicInteger();

        AtomicInteger runs() {
            return runs;
        }

        @Scheduled(fixedDelay = 50)
        public void run() {
            runs.incrementAndGet();
        }
    }
}
