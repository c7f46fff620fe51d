package dev.holdfast.lock.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(Await.TEST_SECONDS)
class CallbackThreadsTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    private final CallbackThreads threads = new CallbackThreads(TimeUnit.MILLISECONDS.toNanos(200));

    @Test
    void blockedTasksDelayNoOther() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        try {
            CountDownLatch blocked = new CountDownLatch(2 * CallbackThreads.MOST_PLATFORM);
            for (int i = 0; i < 2 * CallbackThreads.MOST_PLATFORM; i++) {
                threads.execute(() -> {
                    blocked.countDown();
                    awaitUninterrupted(end);
                });
            }
            assertThat(blocked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            CountDownLatch ran = new CountDownLatch(1);
            threads.execute(ran::countDown);
            assertThat(ran.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            end.countDown();
        }
        Await.until("the threads end", PATIENCE, () -> threads.threads() == 0);
    }

    @Test
    void callbacksThatThrowAreLoggedOnceInTenSeconds() throws InterruptedException {
        int callbacks = 100;
        CountDownLatch ran = new CountDownLatch(callbacks);
        long began = System.nanoTime();
        try (LogLines log = LogLines.record()) {
            for (int i = 0; i < callbacks; i++) {
                threads.execute(() -> {
                    ran.countDown();
                    throw new IllegalStateException("meant for the log");
                });
            }
            assertThat(ran.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            int lines =
                    log.warningsThat(line -> line.contains("callback threw")).size();
            long tenSeconds = Duration.ofNanos(System.nanoTime() - began).toSeconds() / 10;
            assertThat((long) lines).isLessThanOrEqualTo(1 + tenSeconds);
        }
    }

    @Test
    void taskThatACallersExecutorRejectsRunsAllTheSame() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        CallbackThreads.orShared(task -> {
                    throw new RejectedExecutionException("full");
                })
                .execute(ran::countDown);
        assertThat(ran.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
