package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.OneAtATime;
import dev.holdfast.lock.testing.RedisSentinels;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;

/**
 * What a user sees of {@code holdfast.failover-grace}: three instances in processes of their own, a master, two replicas and three sentinels. One job at
 * a time takes two minutes, and meanwhile the master is killed every twenty seconds.
 */
@Nightly(inEachBuild = "FailoverGracePropertyTest, and FailoverGraceTest of lock-core")
@OneAtATime
class JobThroughFailoversTest {

    private static final int FAILOVERS = Integer.getInteger("holdfast.failovers", 12);
    private static final int INSTANCES = 3;
    private static final Duration JOB = Duration.ofMinutes(2);
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(20);
    private static final Duration GRACE = Duration.ofSeconds(45);
    /** So long may the first attempts of a client take that has just lost its master, on a busy machine. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private final RedisSentinels redis = RedisSentinels.start();
    private final List<ChildJvm> instances = new ArrayList<>();
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    /** A run of the job, by the monotonic clock of this machine. */
    private record Run(long began, long ended, long token, int kills) {}

    @BeforeEach
    void start() throws IOException {
        String sentinels = redis.sentinels().stream()
                .map(each -> "127.0.0.1:" + each.port())
                .collect(Collectors.joining(","));
        for (int i = 0; i < INSTANCES; i++) {
            ChildJvm instance = ChildJvm.start(
                    List.of(),
                    List.of(),
                    Instance.class,
                    "--spring.data.redis.sentinel.master=" + RedisSentinels.MASTER_NAME,
                    "--spring.data.redis.sentinel.nodes=" + sentinels,
                    "--holdfast.failover-grace=" + GRACE.toSeconds() + "s");
            instances.add(instance);
        }
    }

    @AfterEach
    void stop() {
        instances.forEach(ChildJvm::close);
        redis.close();
    }

    @Test
    void noRunIsInterruptedAndNoneOverlaps() throws Exception {
        int left = FAILOVERS;
        for (ChildJvm instance : instances) {
            Thread listener = new Thread(() -> listen(instance), "instance");
            listener.setDaemon(true);
            listener.start();
        }
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < INSTANCES && left > 0; i++) {
            Run run = runUnderKills();
            runs.add(run);
            left -= run.kills();
        }

        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            System.out.println("run " + (i + 1) + ": " + seconds(run.ended() - run.began()) + " s, " + run.kills()
                    + " masters killed"
                    + (i == 0
                            ? ""
                            : ", " + seconds(run.began() - runs.get(i - 1).ended()) + " s after the one before"));
            assertThat(run.ended() - run.began()).isGreaterThanOrEqualTo(JOB.toNanos());
            assertThat(run.kills()).isGreaterThan(1);
            if (i > 0) {
                Run before = runs.get(i - 1);
                assertThat(run.began()).as("no overlap").isGreaterThan(before.ended());
                assertThat(run.token()).isGreaterThan(before.token());
                assertThat(Duration.ofNanos(run.began() - before.ended()))
                        .isLessThan(GRACE.plus(BETWEEN_KILLS).plus(SLACK));
            }
        }
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos);
    }

    private void listen(ChildJvm instance) {
        try {
            while (true) {
                told.add(instance.await("JOB").substring("JOB ".length()));
            }
        } catch (IOException | AssertionError ended) {
            // The test has ended, or its next line does not come.
        }
    }

    /** Waits for the next run, and kills a master after the other until it has ended. */
    private Run runUnderKills() throws InterruptedException {
        String[] began = line("begins", GRACE.plus(BETWEEN_KILLS).plus(SLACK.multipliedBy(2)));
        int kills = 0;
        long next = System.nanoTime();
        while (true) {
            next += BETWEEN_KILLS.toNanos();
            String other = told.poll(next - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (other != null) {
                assertThat(other).startsWith("ends ");
                return new Run(
                        Long.parseLong(began[1]), Long.parseLong(other.split(" ")[1]), Long.parseLong(began[2]), kills);
            }
            RedisServer master = redis.master();
            master.kill();
            kills++;
            redis.awaitNewMaster(master);
            master.restart();
        }
    }

    private String[] line(String word, Duration limit) throws InterruptedException {
        String line = told.poll(limit.toSeconds(), TimeUnit.SECONDS);
        assertThat(line).as("a job %s within %s", word, limit).startsWith(word + " ");
        return line.split(" ");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Job.class)
    static class Instance {

        public static void main(String[] args) {
            try {
                new SpringApplicationBuilder(Instance.class)
                        .web(WebApplicationType.NONE)
                        .run(args)
                        .getBean(Job.class)
                        .run();
            } catch (Throwable failure) {
                System.out.println("JOB failed: " + failure);
            }
        }
    }

    static class Job {

        @DistributedLock(name = "long-job", waitTime = "30m")
        public void run() throws InterruptedException {
            Lease lease = LockContext.current();
            long began = System.nanoTime();
            System.out.println("JOB begins " + began + " " + lease.fencingToken());
            while (System.nanoTime() - began < JOB.toNanos()) {
                lease.assertHeld();
                // Its work.
                Thread.sleep(100);
            }
            System.out.println("JOB ends " + System.nanoTime());
        }
    }
}
