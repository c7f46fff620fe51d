package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.boot.ChildJvm;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Spring's scheduler in three processes, with a tick every two seconds of real time. The scheduler's thread of the first is busy most of the time.
 * Runs on request, on a quiet machine: {@code -Dholdfast.ticks=60}. {@link OnceOverCrashesTest} is the short form.
 */
@EnabledIfSystemProperty(named = "holdfast.ticks", matches = "\\d+")
@OneAtATime
class ScheduledTicksTest {

    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final String prefix = "ticks-" + System.nanoTime() + ":";
    private final List<ChildJvm> instances = new ArrayList<>();
    private final BlockingQueue<Run> runs = new LinkedBlockingQueue<>();

    private record Run(Instant tick, ChildJvm instance) {}

    @Test
    void eachTickRunsOnceOverTwoCrashes() throws Exception {
        int ticks = Integer.getInteger("holdfast.ticks");
        for (String kind : List.of("busy", "free", "free")) {
            start(kind);
        }
        List<Instant> ran = new ArrayList<>();
        boolean killed = false;
        boolean frozen = false;
        try {
            while (ran.size() < ticks) {
                Run run = runs.poll(60, TimeUnit.SECONDS);
                assertThat(run).isNotNull();
                ran.add(run.tick());
                boolean busy = run.instance() == instances.get(0);
                if (!busy && !killed && ran.size() > ticks / 3) {
                    killed = true;
                    run.instance().close();
                    instances.remove(run.instance());
                    start("free");
                } else if (!busy && !frozen && ran.size() > 2 * ticks / 3) {
                    frozen = true;
                    run.instance().signal("STOP");
                    Thread.sleep(PERIOD.multipliedBy(2).toMillis());
                    run.instance().signal("CONT");
                }
            }
        } finally {
            instances.forEach(ChildJvm::close);
        }
        assertThat(killed && frozen).isTrue();
        List<Instant> expected = ran.stream().sorted().toList();
        assertThat(expected).doesNotHaveDuplicates();
        for (int i = 1; i < expected.size(); i++) {
            assertThat(expected.get(i)).isEqualTo(expected.get(i - 1).plus(PERIOD));
        }
    }

    private void start(String kind) throws IOException {
        String uri = RedisServer.shared().uri().toURI().toString();
        ChildJvm jvm = ChildJvm.start(List.of(), List.of(), ScheduledTicksTest.class, uri, prefix, kind);
        instances.add(jvm);
        Thread reader = new Thread(() -> {
            try {
                while (true) {
                    String line = jvm.await("tick ");
                    runs.add(new Run(Instant.parse(line.substring("tick ".length())), jvm));
                }
            } catch (IOException | AssertionError ended) {
                // The process was ended.
            }
        });
        reader.setDaemon(true);
        reader.start();
    }

    public static void main(String[] args) throws InterruptedException {
        Class<?> other = args[2].equals("busy") ? OtherJob.class : Object.class;
        try (Locked instance = Locked.instance(args[0], args[1], Scheduling.class, Job.class, other)) {
            // The parent ends this process.
            Thread.sleep(Duration.ofHours(1).toMillis());
            throw new IllegalStateException("Nobody ended " + instance);
        }
    }

    @EnableScheduling
    static class Scheduling {}

    static class Job {

        private final LockClient locks;

        Job(LockClient locks) {
            this.locks = locks;
        }

        /** Says which tick it runs. The run takes long enough that a signal comes in the middle of it. */
        @Scheduled(cron = "*/2 * * * * *")
        @OncePerTick(name = "job", waitTime = "1500ms", leaseTime = "1200ms")
        public void run() throws InterruptedException {
            System.out.println(locks.getRecord("job").read().text());
            Thread.sleep(300);
        }
    }

    /** Keeps the scheduler's only thread, so that this instance fires late. */
    static class OtherJob {

        @Scheduled(fixedDelay = 500)
        public void run() throws InterruptedException {
            Thread.sleep(3_000);
        }
    }
}
