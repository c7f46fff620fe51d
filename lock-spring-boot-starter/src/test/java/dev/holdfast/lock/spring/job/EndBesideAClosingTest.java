package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.job.KnownJobs.KnownJob;
import dev.holdfast.lock.spring.job.TickRecord.Run;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.scheduling.annotation.Scheduled;

/** What waits while the end of a run is not written yet. */
@Timeout(Await.TEST_SECONDS)
class EndBesideAClosingTest {

    @Test
    void clientThatClosesWaitsUntilTheEndOfARunIsWritten() {
        try (RedisServer server = RedisServer.start();
                Locked app = new Locked(server, context -> {}, Job.class)) {
            app.bean(Job.class).run(server::pause);
            assertThat(app.locks().heldLocks()).hasSize(1);
            CompletableFuture<Void> closing = new CompletableFuture<>();
            Thread closer = new Thread(() -> {
                app.locks().close(Await.PATIENCE);
                closing.complete(null);
            });
            closer.start();
            server.resume();
            closing.join();
            assertThat(server.cli().get("holdfast:record:{" + app.key("job") + "}"))
                    .contains(" succeeded ");
        }
    }

    /** Otherwise, it would wait until its patience of two seconds ends. */
    @Test
    void nextCallWaitsForTheReleaseOnly() {
        KnownJobs jobs = new KnownJobs();
        CompletableFuture<Void> released = new CompletableFuture<>();
        jobs.unwritten("job", released);
        jobs.released("job", released);
        assertThat(released).isCompleted();
    }

    /** With a key for each of its runs, a job that kept it would never be forgotten. */
    @Test
    void endThatTheRecordHasIsNotKept() {
        try (Locked app = Locked.application(Job.class)) {
            app.bean(Job.class).run(() -> {});
            KnownJob job = app.bean(Jobs.class).known().all().iterator().next();
            Run begun = new Run(Instant.EPOCH, Instant.EPOCH, "here");
            Run ended = begun.ended(Duration.ofSeconds(1), Run.SUCCEEDED, null);
            job.unwritten(begun, ended);
            job.read(app.locks());
            assertThat(job.hasUnwritten()).isTrue();

            app.writeRecord("job", ended.text());
            job.read(app.locks());

            assertThat(job.hasUnwritten()).isFalse();
        }
    }

    static class Job {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("job")
        public void run(Runnable body) {
            body.run();
        }
    }
}
