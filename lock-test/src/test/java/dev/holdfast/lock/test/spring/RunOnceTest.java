package dev.holdfast.lock.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.EarlierRunFailedException;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnFailure;
import dev.holdfast.lock.spring.RunOnce;
import dev.holdfast.lock.spring.boot.LockInterceptionConfiguration;
import dev.holdfast.lock.test.InMemoryLockClient;
import dev.holdfast.lock.testing.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import reactor.core.publisher.Mono;

/** A method that runs once for each deployment. Instances of several versions share their locks. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(OutputCaptureExtension.class)
class RunOnceTest {

    private static final String LOGGER = "dev.holdfast.lock.spring.job.DeploymentRule";

    private final InMemoryLockClient locks = InMemoryLockClient.create();
    private final List<AnnotationConfigApplicationContext> contexts = new ArrayList<>();
    private final AtomicInteger runs = new AtomicInteger();

    private Migration instance(String version) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        contexts.add(context);
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("version", Map.of("shop.version", version)));
        context.registerBean("locks", LockClient.class, () -> locks);
        context.register(LockInterceptionConfiguration.class, Migration.class);
        context.refresh();
        return context.getBean(Migration.class);
    }

    @AfterEach
    void close() {
        contexts.forEach(AnnotationConfigApplicationContext::close);
        locks.close();
    }

    private CompletableFuture<Void> waiting(Migration instance) {
        CompletableFuture<Void> call = OwnThread.run(() -> instance.migrate(runs::incrementAndGet));
        locks.awaitWaiters("migrate", 1);
        return call;
    }

    private @Nullable String record() {
        return locks.getRecord("migrate").read().text();
    }

    @Test
    void othersWaitForItsSuccessAndGoOn(CapturedOutput output) throws Exception {
        LoggingSystem log = LoggingSystem.get(RunOnceTest.class.getClassLoader());
        log.setLogLevel(LOGGER, LogLevel.INFO);
        Running first = new Running(instance("v1"));
        CompletableFuture<Void> waiting = waiting(instance("v1"));
        assertThat(waiting).isNotDone();
        first.succeed();
        waiting.join();
        log.setLogLevel(LOGGER, null);
        assertThat(runs).hasValue(0);
        assertThat(output.getOut())
                .contains("Runs 'migrate' for 'v1' on ")
                .contains("Waits to find out whether it must run 'migrate' for 'v1': the lock is held by "
                        + locks.clientName())
                .contains("Has run 'migrate' for 'v1'")
                .contains("Does not run 'migrate' for 'v1', which ran on ");
    }

    @Test
    void failureLetsTheNextOneTry(CapturedOutput output) throws Exception {
        Running first = new Running(instance("v1"));
        CompletableFuture<Void> waiting = waiting(instance("v1"));
        first.fail();
        waiting.join();
        assertThat(runs).hasValue(1);
        assertThat(output.getOut()).contains("Failed to run 'migrate' for 'v1'. An instance that waits");
    }

    @Test
    void failureStopsAllWhereItSaysSo() {
        Migration first = instance("v1");
        assertThatThrownBy(() -> first.migrateAtMostOnce(() -> {
                    throw new IllegalStateException("disk full");
                }))
                .hasMessage("disk full");
        Migration second = instance("v1");
        for (Migration each : List.of(second, first)) {
            assertThatThrownBy(() -> each.migrateAtMostOnce(runs::incrementAndGet))
                    .isInstanceOf(EarlierRunFailedException.class)
                    .hasMessageContainingAll("'at-most-once' for 'v1'", "failed, or whose process died, on");
        }
        instance("v2").migrateAtMostOnce(runs::incrementAndGet);
        instance("v2").migrateAtMostOnce(runs::incrementAndGet);
        assertThat(runs).hasValue(1);
        assertThat(locks.heldLocks()).isEmpty();
    }

    /** As in a rolling deployment: instances of the version before start again while the next one runs. */
    @Test
    void eachVersionRunsItOnceInWhateverOrderTheyStart() {
        for (String version : List.of("v1", "v2", "v1", "v2", "v3", "v1", "v2")) {
            instance(version).migrate(runs::incrementAndGet);
        }
        assertThat(runs).hasValue(3);
    }

    @Test
    void versionsDoNotRunItAtTheSameTime() throws Exception {
        Running old = new Running(instance("v1"));
        CompletableFuture<Void> waiting = waiting(instance("v2"));
        old.succeed();
        waiting.join();
        assertThat(runs).hasValue(1);
    }

    @Test
    void instanceOfAVersionThatHasRunDoesNotWaitForAnotherVersion() throws Exception {
        Migration old = instance("v1");
        old.migrate(runs::incrementAndGet);
        Running next = new Running(instance("v2"));
        old.migrate(runs::incrementAndGet);
        assertThat(runs).hasValue(1);
        next.succeed();
    }

    @Test
    void lastTwentyVersionsAreRemembered() {
        String longest = "v".repeat(97);
        for (int i = 100; i < 130; i++) {
            instance(longest + i).migrate(runs::incrementAndGet);
        }
        for (int i = 110; i < 130; i++) {
            instance(longest + i).migrate(runs::incrementAndGet);
        }
        assertThat(runs).hasValue(30);
        assertThat(record().getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(4_097);
    }

    /** A holder that stood still for longer than its lease has not run it, whatever it has done. */
    @Test
    void runWhoseLeaseIsLostIsRunByTheNextOne() throws Exception {
        Running frozen = new Running(instance("v1"));
        CompletableFuture<Void> waiting = waiting(instance("v1"));
        locks.forceRelease("migrate");
        locks.advance(Duration.ofMinutes(1));
        waiting.join();
        assertThat(runs).hasValue(1);
        String ran = record();
        frozen.end(() -> LockContext.current().verify());
        assertThatThrownBy(frozen.call::join).hasCauseInstanceOf(LeaseLostException.class);
        assertThat(record()).isEqualTo(ran);
    }

    @Test
    void waitEndsAndSaysWhoRunsIt() throws Exception {
        Running first = new Running(instance("v1"));
        CompletableFuture<Void> waiting = waiting(instance("v1"));
        locks.advance(Duration.ofMinutes(10));
        assertThatThrownBy(waiting::join)
                .hasCauseInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining("it is held by");
        first.succeed();
        assertThat(runs).hasValue(0);
    }

    @Test
    void recordThatAFailoverForgotLetsItRunAgain() {
        instance("v1").migrate(runs::incrementAndGet);
        try (Lease lease = locks.getLock("migrate").acquire()) {
            locks.getRecord("migrate").write(lease, "something else", Duration.ofHours(1));
        }
        instance("v1").migrate(runs::incrementAndGet);
        assertThat(runs).hasValue(2);
    }

    @Test
    void waitIncludesAnOutage() {
        Migration instance = instance("v1");
        locks.makeUnavailable();
        CompletableFuture<Void> call = waiting(instance);
        locks.makeAvailable();
        locks.advance(Duration.ofMinutes(1));
        call.join();
        assertThat(runs).hasValue(1);
    }

    @Test
    void publisherIsRunOnceToo() {
        Migration instance = instance("v1");
        assertThatThrownBy(() -> instance.published(Mono.error(new IllegalStateException("disk full")))
                        .block())
                .hasMessage("disk full");
        assertThat(instance.published(Mono.just("done")).blockOptional()).contains("done");
        assertThat(instance.published(Mono.just("again")).blockOptional()).isEmpty();
        assertThat(locks.heldLocks()).isEmpty();
    }

    /** An instance in the middle of the migration. */
    private static final class Running {

        private final CompletableFuture<Callable<?>> end = new CompletableFuture<>();
        private final CompletableFuture<Void> call;

        Running(Migration migration) throws InterruptedException {
            CountDownLatch begun = new CountDownLatch(1);
            call = OwnThread.run(() -> migration.migrate(() -> {
                begun.countDown();
                return end.join().call();
            }));
            assertThat(begun.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }

        void end(Callable<?> how) {
            end.complete(how);
        }

        void succeed() {
            end(() -> true);
            call.join();
        }

        void fail() {
            end(() -> {
                throw new IllegalStateException("disk full");
            });
            assertThatThrownBy(call::join)
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("disk full");
        }
    }

    static class Migration {

        @RunOnce(name = "migrate", per = "${shop.version}")
        public void migrate(Callable<?> body) {
            run(body);
        }

        @RunOnce(name = "at-most-once", per = "${shop.version}", onFailure = OnFailure.STOP)
        public void migrateAtMostOnce(Callable<?> body) {
            run(body);
        }

        @RunOnce(name = "published", per = "${shop.version}")
        public Mono<String> published(Mono<String> body) {
            return body;
        }

        private static void run(Callable<?> body) {
            try {
                body.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
