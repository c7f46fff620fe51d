package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import dev.holdfast.lock.spring.JobBoard;
import dev.holdfast.lock.spring.JobBoard.Entry;
import dev.holdfast.lock.spring.JobBoard.Outcome;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.Tick;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** Runs that Spring's {@code @Retryable} attempts again when they fail. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(OutputCaptureExtension.class)
class AttemptsOfARunTest {

    @AutoClose
    private final LockedBeans application = new LockedBeans(Resilience.class, Jobs.class);

    private final InMemoryLockClient locks = application.locks();
    private final Jobs jobs = application.bean(Jobs.class);
    private final List<Integer> attempts = new ArrayList<>();

    private void failUntil(int successful) {
        attempts.add(attempts.size() + 1);
        if (attempts.size() < successful) {
            throw new IllegalStateException("no paper");
        }
    }

    private List<Entry> history(String name) {
        return application.bean(JobBoard.class).jobs(name).get(0).history();
    }

    @Test
    void retryBelongsToTheRunThatHasFailed() {
        List<Tick> ticks = new ArrayList<>();
        jobs.report(() -> {
            ticks.add(LockContext.tick());
            failUntil(3);
        });
        assertThat(attempts).hasSize(3);
        assertThat(ticks.stream().distinct()).hasSize(1);
        assertThat(history("report"))
                .extracting(Entry::outcome, Entry::reason)
                .containsExactly(tuple(Outcome.SUCCEEDED, null));
        jobs.report(() -> failUntil(1));
        assertThat(attempts).hasSize(3);
    }

    @Test
    void failureOfTheLastAttemptReachesTheCaller() {
        assertThatThrownBy(() -> jobs.report(() -> failUntil(9)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no paper");
        assertThat(attempts).hasSize(3);
        assertThat(history("report"))
                .extracting(Entry::outcome, Entry::reason)
                .containsExactly(tuple(Outcome.FAILED, IllegalStateException.class.getName()));
        // Another call of the tick is none of its attempts.
        jobs.report(() -> failUntil(1));
        assertThat(attempts).hasSize(3);
    }

    @Test
    void publisherIsAttemptedAgain() {
        assertThat(jobs.published(() -> failUntil(2)).blockOptional()).contains("done");
        assertThat(attempts).hasSize(2);
        assertThat(jobs.published(() -> failUntil(1)).blockOptional()).isEmpty();
    }

    /** Spring subscribes to one publisher at each tick. */
    @Test
    void publisherThatHasFailedIsFreshAtTheNextTick() {
        Mono<String> scheduled = jobs.published(() -> failUntil(5));
        assertThatThrownBy(scheduled::block).hasRootCauseMessage("no paper");
        assertThat(attempts).hasSize(3);
        locks.advance(Duration.ofSeconds(10));
        assertThat(scheduled.blockOptional()).contains("done");
        assertThat(history("published")).extracting(Entry::outcome).containsExactly(Outcome.SUCCEEDED, Outcome.FAILED);
    }

    @Test
    void publisherThatHasSucceededRunsItsTickOnce() {
        Mono<String> scheduled = jobs.published(() -> failUntil(1));
        assertThat(scheduled.blockOptional()).contains("done");
        assertThat(scheduled.blockOptional()).isEmpty();
        assertThat(attempts).hasSize(1);
    }

    @Test
    void runThatLostItsLockIsAttemptedAgain() {
        jobs.report(() -> {
            failUntil(1);
            if (attempts.size() == 1) {
                locks.forceRelease("report");
                assertThat(LockContext.current().verify()).isFalse();
            }
        });
        assertThat(attempts).hasSize(2);
    }

    @Test
    void failureOfARunThatIsOvertakenIsNotSwallowed() {
        assertThatThrownBy(() -> jobs.report(() -> {
                    failUntil(1);
                    locks.advance(Duration.ofSeconds(10));
                    // Another instance runs the next tick before the second attempt.
                    locks.forceRelease("report");
                    try (Lease other = locks.getLock("report").acquire()) {
                        locks.getRecord("report").write(other, "tick 2026-01-01T00:00:10Z", Duration.ofHours(1));
                    }
                    throw new IllegalStateException("no paper");
                }))
                .isInstanceOf(EarlierRunFailedException.class)
                .hasMessageContaining("2026-01-01T00:00:00Z");
        assertThat(attempts).hasSize(1);
    }

    @Test
    void failureIsLoggedIfAnotherHolderKeepsTheCallFromAnotherAttempt(CapturedOutput output) {
        jobs.report(() -> {
            failUntil(1);
            assertThat(locks.getLock("report")
                            .acquireAsync(AcquireOptions.defaults())
                            .toCompletableFuture())
                    .isNotDone();
            throw new IllegalStateException("no paper");
        });
        assertThat(attempts).hasSize(1);
        assertThat(output)
                .contains("The run under lock 'report' has failed, and is not attempted again: Lock 'report' was not");
    }

    @Test
    void runOfADeploymentIsAttemptedAgain() {
        jobs.migrate(() -> failUntil(3));
        assertThat(attempts).hasSize(3);
        jobs.migrate(() -> failUntil(1));
        assertThat(attempts).hasSize(3);
        assertThat(locks.getRecord("migrate").read().text()).matches("ran \\S+ v1 \\S+");
    }

    @Test
    void failedDeploymentIsNotRunByAnotherCall() {
        assertThatThrownBy(() -> jobs.migrate(() -> failUntil(9))).hasMessage("no paper");
        assertThat(attempts).hasSize(3);
        assertThatThrownBy(() -> jobs.migrate(() -> failUntil(1))).isInstanceOf(EarlierRunFailedException.class);
        assertThat(attempts).hasSize(3);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Resilience {}

    static class Jobs {

        @Retryable(maxRetries = 2, delay = 0)
        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick(name = "report", waitTime = "0s")
        public void report(Runnable body) {
            body.run();
        }

        @Retryable(maxRetries = 2, delay = 0)
        @Scheduled(cron = "*/10 * * * * *", zone = "UTC")
        @OncePerTick("published")
        public Mono<String> published(Runnable body) {
            return Mono.fromSupplier(() -> {
                body.run();
                return "done";
            });
        }

        @Retryable(maxRetries = 2, delay = 0)
        @RunOnce(name = "migrate", per = "v1", onFailure = OnFailure.STOP)
        public void migrate(Runnable body) {
            body.run();
        }
    }
}
