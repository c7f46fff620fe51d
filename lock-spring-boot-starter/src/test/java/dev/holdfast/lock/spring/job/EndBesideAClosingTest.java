package dev.holdfast.lock.spring.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.scheduling.annotation.Scheduled;

/** A client that closes while the end of a run is not written yet. */
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

    static class Job {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("job")
        public void run(Runnable body) {
            body.run();
        }
    }
}
