package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** Runs that end while Redis does not answer. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TickEndsTest {

    @AutoClose
    private final LockedBeans application = new LockedBeans(Jobs.class);

    private final InMemoryLockClient locks = application.locks();
    private final Jobs jobs = application.bean(Jobs.class);
    private final AtomicInteger runs = new AtomicInteger();

    private void runWithoutRedisAtItsEnd() {
        runs.incrementAndGet();
        locks.makeUnavailable();
    }

    private void awaitSuccess(String lockName) {
        Await.until(
                "the end of the run is written, and its lock is free",
                Await.PATIENCE,
                () -> String.valueOf(locks.getRecord(lockName).read().text()).contains(" succeeded ")
                        && locks.inspect(lockName).isEmpty());
    }

    @Test
    void callerDoesNotWaitUntilTheEndOfItsRunIsWritten() {
        OwnThread.run(() -> jobs.once(this::runWithoutRedisAtItsEnd)).join();
        // The run has ended, and Redis is still away.
        locks.makeAvailable();
        awaitSuccess("once");
    }

    @Test
    void subscriberDoesNotWaitUntilTheEndOfItsRunIsWritten() {
        jobs.published(this::runWithoutRedisAtItsEnd).block();
        locks.makeAvailable();
        awaitSuccess("published");
    }

    @Test
    void successThatDecidesIsWrittenUnderTheLockOfItsRun() {
        OwnThread.run(() -> jobs.repeated(this::runWithoutRedisAtItsEnd)).join();
        assertThat(locks.heldLocks()).hasSize(1);
        locks.makeAvailable();
        awaitSuccess("repeated");
        jobs.repeated(runs::incrementAndGet);
        assertThat(runs).hasValue(1);
    }

    @Test
    void nextTickWaitsForTheEndOfTheRunBeforeIt() {
        OwnThread.run(() -> jobs.once(this::runWithoutRedisAtItsEnd)).join();
        locks.advance(Duration.ofSeconds(10));
        locks.makeAvailable();
        CompletableFuture<Void> next = OwnThread.run(() -> jobs.once(runs::incrementAndGet));
        next.join();
        assertThat(runs).hasValue(2);
    }

    static class Jobs {

        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick("once")
        public void once(Runnable body) {
            body.run();
        }

        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick(name = "repeated", onFailure = OnFailure.RETRY, waitTime = "1m")
        public void repeated(Runnable body) {
            body.run();
        }

        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick("published")
        public Mono<Void> published(Runnable body) {
            return Mono.fromRunnable(body);
        }
    }
}
