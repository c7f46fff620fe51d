package dev.holdfast.lock.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.call.LockedMethods;
import dev.holdfast.lock.spring.declaration.DeclaredLocks;
import dev.holdfast.lock.spring.declaration.DeclaredLocks.DeclaredLock;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.FixedSettings;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.observe.CallHistory.Counts;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The runs and the skips of a method, as the endpoint shows them. */
class CallHistoryTest {

    private Locked app;
    private Jobs jobs;

    @BeforeEach
    void start() {
        app = Locked.application(Jobs.class);
        jobs = app.bean(Jobs.class);
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @Test
    void methodThatWasNeverCalledHasNoRun() {
        assertThat(counts("job")).isEqualTo(new Counts(0, 0, null));
    }

    @Test
    void runSaysWhenItBeganAndHowLongItTook() {
        Instant before = Instant.now();
        long nanos = System.nanoTime();
        jobs.run(() -> Await.until("the clock moves", Await.PATIENCE, () -> System.nanoTime() - nanos > 50_000_000));

        Counts counts = counts("job");
        assertThat(counts.runs()).isEqualTo(1);
        assertThat(counts.skipped()).isZero();
        assertThat(counts.lastRun()).isNotNull().satisfies(run -> {
            assertThat(run.succeeded()).isTrue();
            assertThat(run.at()).isBetween(before.minusSeconds(1), Instant.now());
            assertThat(run.took()).isPositive().isLessThan(Duration.ofNanos(System.nanoTime() - nanos));
        });
    }

    @Test
    void runThatThrowsHasFailed() {
        assertThatThrownBy(() -> jobs.run(() -> {
                    throw new IllegalStateException();
                }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(counts("job").lastRun()).isNotNull().matches(run -> !run.succeeded());
    }

    @Test
    void callThatSkipsOrIsRefusedIsNoRun() {
        try (Lease busy = app.locks().getLock("job").acquire()) {
            jobs.run(() -> {});
            assertThatThrownBy(jobs::refused).isInstanceOf(LockNotAcquiredException.class);
            assertThat(busy.isHeld()).isTrue();
        }

        assertThat(app.bean(DeclaredLocks.class).all())
                .filteredOn(lock -> lock.name().equals("job"))
                .extracting(this::counts)
                .containsOnly(new Counts(0, 1, null))
                .hasSize(2);
    }

    /** Such a call borrows the lock, and cannot have it for as long as it needs. */
    @Test
    void callInsideARunIsSkippedIfTheLockCannotBeExtended() {
        try (RedisServer server = RedisServer.start();
                Locked own = new Locked(server, context -> {}, Jobs.class)) {
            Jobs bean = own.bean(Jobs.class);
            bean.brief(() -> {
                server.kill();
                bean.longer();
            });
            assertThat(own.bean(DeclaredLocks.class).all())
                    .filteredOn(lock -> lock.method().getName().equals("longer"))
                    .extracting(lock -> own.bean(CallHistories.class)
                            .of(lock.method(), lock.name())
                            .counts())
                    .containsExactly(new Counts(0, 1, null));
        }
    }

    @Test
    void lockThatIsReleasedBecauseAnotherOneIsBusyHasNoRun() {
        try (Lease busy = app.locks().getLock("second").acquire()) {
            assertThatThrownBy(jobs::both).isInstanceOf(LockNotAcquiredException.class);
            assertThat(busy.isHeld()).isTrue();
        }

        assertThat(counts("first")).isEqualTo(new Counts(0, 0, null));
        assertThat(counts("second")).isEqualTo(new Counts(0, 1, null));
    }

    @Test
    void callInsideARunIsPartOfIt() {
        jobs.outer(jobs::inner);

        assertThat(app.bean(DeclaredLocks.class).all())
                .filteredOn(lock -> lock.name().equals("nested"))
                .extracting(
                        lock -> lock.method().getName(), lock -> counts(lock).runs())
                .containsExactlyInAnyOrder(tuple("outer", 1L), tuple("inner", 0L));
    }

    @Test
    void runEndsWithTheWorkBehindItsResult() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> answer = jobs.stage(work).toCompletableFuture();
        assertThat(counts("stage").runs()).isZero();
        work.complete("done");
        assertThat(answer.join()).isEqualTo("done");
        assertThat(counts("stage").runs()).isEqualTo(1);

        Sinks.One<String> sink = Sinks.one();
        CompletableFuture<String> published = jobs.mono(sink.asMono()).toFuture();
        assertThat(counts("mono").runs()).isZero();
        sink.tryEmitError(new IllegalStateException());
        assertThatThrownBy(published::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(counts("mono").lastRun()).isNotNull().matches(run -> !run.succeeded());
    }

    @Test
    void countsOutliveAChangeOfTheSettings() {
        jobs.run(() -> {});
        LockSettings changed = new LockSettings(null, Duration.ofSeconds(3), null, null, null, null, null, null);
        app.bean(LockedMethods.class)
                .apply(
                        new FixedSettings(LockSettings.NONE, "job", changed),
                        app.bean(DeclaredLocks.class),
                        method -> {});
        jobs.run(() -> {});

        assertThat(counts("job").runs()).isEqualTo(2);
    }

    /** The counts of the only method of that lock, or of the first one. */
    private Counts counts(String lockName) {
        return app.bean(DeclaredLocks.class).all().stream()
                .filter(lock ->
                        lock.name().equals(lockName) && !lock.method().getName().equals("refused"))
                .findFirst()
                .map(this::counts)
                .orElseThrow();
    }

    private Counts counts(DeclaredLock lock) {
        return app.bean(CallHistories.class).of(lock.method(), lock.name()).counts();
    }

    static class Jobs {

        @DistributedLock(name = "job", onBusy = OnBusy.SKIP)
        public void run(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "job", waitTime = "0")
        public void refused() {}

        @DistributedLock(name = "extended", leaseTime = "6s")
        public void brief(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "extended", leaseTime = "60s", onUnavailable = OnUnavailable.SKIP)
        public void longer() {}

        @DistributedLock(name = "first")
        @DistributedLock(name = "second", waitTime = "0")
        public void both() {}

        @DistributedLock(name = "nested")
        public void outer(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "nested")
        public void inner() {}

        @DistributedLock(name = "stage")
        public CompletionStage<String> stage(CompletionStage<String> work) {
            return work;
        }

        @DistributedLock(name = "mono")
        public Mono<String> mono(Mono<String> work) {
            return work;
        }
    }
}
