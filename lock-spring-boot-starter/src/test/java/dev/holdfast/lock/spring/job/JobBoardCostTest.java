package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;

/** The commands and bytes of a run and of a skipped call, as Redis counts them. */
class JobBoardCostTest {

    private static final int TIMES = 5;

    private static RedisServer server;

    private record Cost(double scripts, double sent) {
        Cost minus(Cost other) {
            return new Cost(scripts - other.scripts, sent - other.sent);
        }
    }

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void runIsFiveCommandsAndASkippedCallOne() {
        // With leases of half a minute, none is renewed meanwhile: a renewal would count for the run that it meets.
        try (Locked app = new Locked(server, context -> {}, Job.class)) {
            awaitFirstLook(app);
            String key = "holdfast:record:{" + app.key("job") + "}";
            Job job = app.bean(Job.class);
            for (int i = 0; i < 25; i++) {
                job.run();
                nextTick(key);
            }
            Cost nothing = average(key, () -> {});
            Cost run = average(key, job::run).minus(nothing);
            job.run();
            Cost skip = average(null, job::run).minus(nothing);
            assertThat(run.scripts()).isEqualTo(5);
            assertThat(skip.scripts()).isEqualTo(1);
            assertThat(skip.sent()).isLessThan(4_300.0);
        }
    }

    @Test
    void boardOfOneJobIsItsRecord() {
        try (Locked app = new Locked(server, context -> {}, Job.class, Other.class)) {
            awaitFirstLook(app);
            JobBoard board = app.bean(JobBoard.class);
            Cost nothing = average(null, () -> {});
            assertThat(average(null, () -> board.jobs("job")).minus(nothing).scripts())
                    .isEqualTo(1);
            assertThat(average(null, board::names).minus(nothing).scripts()).isZero();
        }
    }

    private static void awaitFirstLook(Locked app) {
        Await.until(
                "it has looked",
                Await.PATIENCE,
                () -> app.bean(Jobs.class).known().all().stream().allMatch(job -> job.seen() != null));
    }

    /** Makes the present tick due again. */
    private static void nextTick(String key) {
        String record = server.cli().get(key);
        server.cli().set(key, record.replaceFirst("tick \\S+", "tick 2020-01-01T00:00:00Z"));
    }

    private static Cost average(String recordToReset, Runnable call) {
        double scripts = 0;
        double sent = 0;
        for (int i = 0; i < TIMES; i++) {
            if (recordToReset != null && server.cli().exists(recordToReset) > 0) {
                nextTick(recordToReset);
            }
            server.resetStats();
            call.run();
            scripts += server.commandStats().getOrDefault("evalsha", 0L);
            sent += Long.parseLong(server.info("stats").get("total_net_output_bytes"));
        }
        return new Cost(scripts / TIMES, sent / TIMES);
    }

    static class Other {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("other")
        public void run() {}
    }

    static class Job {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("job")
        public void run() {}
    }
}
