package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** A tick that counts only when its run has succeeded, so that calls wait for the run of another instance. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RepeatedTicksTest {

    private static final Duration LEASE = Duration.ofSeconds(8);

    @AutoClose
    private final LockedBeans application = new LockedBeans(Jobs.class);

    private final InMemoryLockClient locks = application.locks();
    private final Jobs jobs = application.bean(Jobs.class);
    private final AtomicInteger runs = new AtomicInteger();

    private @Nullable String lastTick() {
        String text = locks.getRecord("report").read().text();
        return text == null
                ? null
                : text.lines()
                        .filter(line -> line.startsWith("tick "))
                        .findFirst()
                        .orElse(null);
    }

    @Test
    void tickOfAFailedRunIsRunByTheOneWhoWaits() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Void> first = OwnThread.run(() -> jobs.report(() -> {
            begun.countDown();
            end.await();
            throw new IllegalStateException("no paper");
        }));
        assertThat(begun.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> second = waits(1);
        end.countDown();
        assertThatThrownBy(first::join).isInstanceOf(CompletionException.class).hasRootCauseMessage("no paper");
        second.join();
        assertThat(runs).hasValue(1);
        jobs.report(runs::incrementAndGet);
        assertThat(runs).hasValue(1);
    }

    @Test
    void runWhoseLeaseIsLostDoesNotCount() {
        assertThatThrownBy(() -> jobs.report(() -> {
                    locks.forceRelease("report");
                    return LockContext.current().verify();
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(lastTick()).isNull();
        jobs.report(runs::incrementAndGet);
        assertThat(runs).hasValue(1);
    }

    @Test
    void publisherThatFailsOrIsCanceledDoesNotCount() {
        assertThatThrownBy(() -> jobs.published(Mono.error(new IllegalStateException("no paper")))
                        .block())
                .hasMessage("no paper");
        jobs.published(Mono.never()).subscribe().dispose();
        // The lock is free when the end of the run is written.
        Await.until("the lock is free", Await.PATIENCE, () -> locks.heldLocks().isEmpty());
        assertThat(jobs.published(Mono.just("done")).blockOptional()).contains("done");
        assertThat(jobs.published(Mono.just("again")).blockOptional()).isEmpty();
    }

    @Test
    void stageThatFailsDoesNotCount() {
        assertThatThrownBy(() -> jobs.staged(CompletableFuture.failedFuture(new IllegalStateException("no paper")))
                        .join())
                .hasRootCauseMessage("no paper");
        assertThat(jobs.staged(CompletableFuture.completedFuture("done")).join())
                .isEqualTo("done");
        assertThat(jobs.staged(CompletableFuture.completedFuture("again")).join())
                .isNull();
    }

    @Test
    void innerCallUnderTheSameLockDoesNotDecide() {
        jobs.report(() -> {
            assertThatThrownBy(() -> jobs.report(() -> {
                        throw new IllegalStateException("caught");
                    }))
                    .hasMessage("caught");
            return runs.incrementAndGet();
        });
        assertThat(lastTick()).isEqualTo("tick 2026-01-01T00:00:00Z");
    }

    private CompletableFuture<Void> waits(int waiters) {
        CompletableFuture<Void> call = OwnThread.run(() -> jobs.report(runs::incrementAndGet));
        locks.awaitWaiters("report", waiters);
        return call;
    }

    @Test
    void tickOfADeadInstanceRunsInACallThatWaits() {
        locks.holdElsewhere("report", LEASE);
        CompletableFuture<Void> waits = waits(1);
        assertThat(runs).hasValue(0);

        locks.advance(LEASE);
        waits.join();
        assertThat(runs).hasValue(1);
        assertThat(lastTick()).isEqualTo("tick 2026-01-01T00:00:00Z");
        assertThat(locks.inspect("report")).isEmpty();
    }

    @Test
    void tickThatTheOtherInstanceHasRunDoesNotRunAgain() {
        Lease other = locks.getLock("report").acquire();
        CompletableFuture<Void> waits = waits(1);
        locks.getRecord("report").write(other, "tick 2026-01-01T00:00:00Z", Duration.ofHours(1));
        other.close();
        waits.join();
        assertThat(runs).hasValue(0);
        assertThat(locks.inspect("report")).isEmpty();
    }

    @Test
    void tickRunsOnceThoughTwoCallsOfOneInstanceWait() {
        locks.holdElsewhere("report", LEASE);
        CompletableFuture<Void> first = waits(1);
        CompletableFuture<Void> second = waits(2);
        locks.advance(LEASE);
        first.join();
        second.join();
        assertThat(runs).hasValue(1);
    }

    @Test
    void waitThatEndsSkipsTheTick() {
        locks.holdElsewhere("report");
        CompletableFuture<Void> waits = waits(1);
        locks.advance(Duration.ofMinutes(1));
        waits.join();
        assertThat(runs).hasValue(0);
    }

    static class Jobs {

        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick(name = "report", onFailure = OnFailure.RETRY, waitTime = "1m")
        public void report(Callable<?> body) {
            try {
                body.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Scheduled(fixedRate = 10_000)
        @OncePerTick(name = "published", onFailure = OnFailure.RETRY, waitTime = "10s")
        public Mono<String> published(Mono<String> body) {
            return body;
        }

        @Scheduled(fixedRate = 10_000)
        @OncePerTick(name = "staged", onFailure = OnFailure.RETRY, waitTime = "10s")
        public CompletableFuture<String> staged(CompletableFuture<String> body) {
            return body;
        }
    }
}
