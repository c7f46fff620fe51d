package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A process is killed in the middle of a tick. The scheduler of the other instance runs the same tick. */
@Nightly(inEachBuild = "TakeOverTest of lock-test, and processes that are killed in the simulation")
@OneAtATime
class TakeOverAfterKillTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    @Test
    void tickOfAKilledProcessRunsElsewhereOnASchedulerWithOneThread() throws Exception {
        assertThat(threadThatTakesOver(context -> {}, others -> {}, Scheduling.class))
                .doesNotStartWith("VirtualThread");
    }

    @Test
    void callThatWaitsOnAVirtualThreadDelaysNoOtherJob() throws Exception {
        if (Runtime.version().feature() < 21) {
            abort("JDK " + Runtime.version().feature() + " has no virtual threads; they come with 21");
        }
        String thread = threadThatTakesOver(
                Locked.property("spring.threads.virtual.enabled", "true"),
                others -> {
                    int before = others.get();
                    Await.until("other jobs run", PATIENCE, () -> others.get() > before + 3);
                },
                Scheduling.class,
                TaskSchedulingAutoConfiguration.class);
        assertThat(thread).startsWith("VirtualThread").contains("scheduling-");
    }

    private static String threadThatTakesOver(
            Consumer<AnnotationConfigApplicationContext> customizer,
            Consumer<AtomicInteger> whileItWaits,
            Class<?>... scheduling)
            throws Exception {
        String prefix = "takeover-" + System.nanoTime() + ":";
        String uri = RedisServer.shared().uri().toURI().toString();
        try (ChildJvm killed = ChildJvm.start(List.of(), List.of(), TakeOverAfterKillTest.class, uri, prefix)) {
            killed.await("runs");
            List<Class<?>> beans = new ArrayList<>(List.of(scheduling));
            beans.addAll(List.of(Job.class, OtherJob.class));
            try (Locked survivor = Locked.instance(uri, prefix, customizer, beans.toArray(Class<?>[]::new))) {
                Await.until(
                        "it waits",
                        PATIENCE,
                        () -> !survivor.locks().waitingLocks().isEmpty());
                whileItWaits.accept(survivor.bean(OtherJob.class).runs());
                BlockingQueue<String> runs = survivor.bean(Job.class).runs();
                assertThat(runs).isEmpty();

                killed.signal("KILL");
                long begun = System.nanoTime();
                String thread = runs.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                System.out.println("The tick ran here "
                        + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)
                        + " ms after the kill, with a lease of "
                        + Locked.LEASE.toMillis() + " ms, on " + thread);
                return Objects.requireNonNull(thread, "the tick does not run here");
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
        private final BlockingQueue<String> runs = new LinkedBlockingQueue<>();

        Job(ObjectProvider<Endless> endless) {
            this.endless = endless;
        }

        /** The threads of the runs. The proxy has fields of its own. */
        BlockingQueue<String> runs() {
            return runs;
        }

        /** Fires at the start, and in the same tick for some years. */
        @Scheduled(fixedRate = 300_000_000_000L)
        @OncePerTick(name = "job", onFailure = OnFailure.RETRY, waitTime = "10m")
        public void run() throws InterruptedException {
            runs.add(Thread.currentThread().toString());
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
