package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that nobody stops. */
@Timeout(Await.TEST_SECONDS)
class StarterThreadsTest {

    @Test
    void threadDoesNotKeepTheJvmAlive() {
        CompletableFuture<Boolean> isDaemon = new CompletableFuture<>();
        StarterThreads.threadFor("step")
                .execute(() -> isDaemon.complete(Thread.currentThread().isDaemon()));
        assertThat(isDaemon.join()).isTrue();
    }
}
