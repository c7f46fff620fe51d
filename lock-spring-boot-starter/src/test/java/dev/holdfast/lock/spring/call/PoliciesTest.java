package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnLost;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.FixedSettings;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Busy, unavailable and lost: what becomes of the call. */
class PoliciesTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    private static Locked app;
    private static Jobs jobs;
    private static Lease elsewhere;

    @BeforeAll
    static void start() {
        app = Locked.application(Jobs.class);
        jobs = app.bean(Jobs.class);
        elsewhere = app.locks().getLock("taken").acquire();
    }

    @AfterAll
    static void stop() {
        elsewhere.close();
        app.close();
    }

    @Nested
    class Busy {

        @Test
        void skippedCallReturnsNothing() {
            int before = RUNS.get();
            jobs.nothing();
            assertThat(jobs.object()).isNull();
            assertThat(RUNS).hasValue(before);
        }

        @Test
        void skippedCallReturnsEmptyShapes() {
            assertThat(jobs.optional()).isEmpty();
            assertThat(jobs.list()).isEmpty();
            assertThat(jobs.iterable()).isEmpty();
            assertThat(jobs.sortedSet()).isEmpty();
            assertThat(jobs.map()).isEmpty();
            assertThat(jobs.array()).isEmpty();
            assertThat(jobs.stream()).isEmpty();
        }

        @Test
        void callersMayAddToASkippedCallsCollection() {
            assertThatCode(() -> jobs.list().add("mine")).doesNotThrowAnyException();
            assertThat(jobs.list()).isEmpty();
        }

        @Test
        void callWithAFallbackDoesNotWaitUnlessItSaysSo() {
            assertThat(jobs.answeredAtOnce()).isZero();
        }

        @Test
        void whatWasTakenBeforeABusyLockIsGivenBack() {
            assertThatThrownBy(() -> jobs.both()).isInstanceOf(LockNotAcquiredException.class);
            assertThat(app.isHeld("free")).isFalse();
        }
    }

    @Nested
    class Handlers {

        @Test
        void methodAnswersInTheMethodsPlace() {
            assertThat(jobs.answered("order 1")).isEqualTo("queued order 1");
        }

        @Test
        void methodMayBeToldWhy() {
            assertThat(jobs.answeredWithReason("order 1")).isEqualTo("order 1: taken");
        }

        @Test
        void methodsExceptionIsThrownAsItIs() {
            assertThatThrownBy(() -> jobs.answeredByFailure()).isInstanceOf(IOException.class);
        }

        @Test
        void configuredPolicyWinsOverAHandler() {
            LockSettings skip = new LockSettings(null, null, null, null, null, OnBusy.SKIP, null, null, null);
            try (Locked own = with(LockSettings.NONE, "taken", skip);
                    Lease busy = own.locks().getLock("taken").acquire()) {
                assertThat(own.bean(Jobs.class).answered("x")).isNull();
                assertThat(busy.isHeld()).isTrue();
            }
        }
    }

    @Nested
    class Unavailable {

        @Test
        void eachPolicyDoesWhatItSays() {
            try (RedisServer server = RedisServer.start();
                    Locked own = new Locked(server, context -> {}, Jobs.class)) {
                Jobs bean = own.bean(Jobs.class);
                assertThat(bean.proceeding()).isTrue();
                server.kill();
                assertThatThrownBy(bean::failing).isInstanceOf(LockUnavailableException.class);
                // Nobody knows whether it is busy: a call that skips only what is busy fails.
                assertThatThrownBy(bean::nothing).isInstanceOf(LockUnavailableException.class);
                assertThat(bean.skippingUnavailable()).isEmpty();
                assertThat(bean.proceeding()).isFalse();
            }
        }

        @Test
        void innerCallThatProceedsWithoutItsLockHasNoLease() {
            try (RedisServer server = RedisServer.start();
                    Locked own = new Locked(server, context -> {}, Jobs.class)) {
                Jobs bean = own.bean(Jobs.class);
                assertThat(bean.<Boolean>around(() -> {
                            server.kill();
                            boolean inner = bean.proceeding();
                            return inner || LockContext.find().isEmpty();
                        }))
                        .isFalse();
            }
        }
    }

    @Nested
    class Lost {

        @Test
        void lossIsThrownAfterTheBody() {
            assertThatThrownBy(() -> jobs.lostAndThrown()).isInstanceOf(LeaseLostException.class);
        }

        @Test
        void bodysOwnFailureComesBeforeTheLoss() {
            assertThatThrownBy(() -> jobs.lostAndFailed())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("own")
                    .satisfies(failure -> assertThat(failure.getSuppressed())
                            .hasOnlyElementsOfType(LeaseLostException.class)
                            .hasSize(1));
        }

        @Test
        void lossIsOnlyReported() {
            assertThat(jobs.lostAndReported()).isEqualTo("done");
        }

        @Test
        void interruptThatTheBodyDidNotNoticeIsCleared() {
            assertThatThrownBy(() -> jobs.lostAndInterruptedWhileBusy()).isInstanceOf(LeaseLostException.class);
            assertThat(Thread.interrupted()).isFalse();
        }

        @Test
        void interruptedExceptionOfTheBodyIsSuppressedByTheLoss() {
            assertInterrupted(() -> jobs.lostAndThrewInterrupted());
        }

        @Test
        void interruptOfSomebodyElseIsKept() {
            assertThatThrownBy(() -> jobs.lostAfterAnInterrupt()).isInstanceOf(LeaseLostException.class);
            assertThat(Thread.interrupted()).isTrue();
        }

        @Test
        void innerCallIsInterruptedByTheLossOfTheOuterLease() {
            assertInterrupted(() -> jobs.outerOfInterrupted(jobs));
        }

        private static void assertInterrupted(ThrowingCallable call) {
            assertThatThrownBy(call)
                    .isInstanceOf(LeaseLostException.class)
                    .satisfies(loss ->
                            assertThat(loss.getSuppressed()).hasExactlyElementsOfTypes(InterruptedException.class));
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Nested
    class Settings {

        @Test
        void innerCallOfASwitchedOffLockHasNoLeaseAndTheOuterOneHas() {
            LockSettings off = new LockSettings(true, null, null, null, null, null, null, null, null);
            try (Locked own = with(LockSettings.NONE, "down", off)) {
                Jobs bean = own.bean(Jobs.class);
                assertThat(bean.<Boolean>around(bean::proceeding)).isFalse();
                assertThat(bean.<Boolean>around(
                                () -> bean.proceeding() || LockContext.find().isEmpty()))
                        .isFalse();
            }
        }

        @Test
        void callInsideASwitchedOffOneReentersTheOuterLock() {
            LockSettings off = new LockSettings(true, null, null, null, null, null, null, null, null);
            try (Locked own = with(LockSettings.NONE, "off", off)) {
                Jobs bean = own.bean(Jobs.class);
                Supplier<Long> token = () -> LockContext.current().fencingToken();
                assertThat(bean.<Boolean>around(() ->
                                bean.<Long>switchedOff(() -> bean.around(token)).equals(token.get())))
                        .isTrue();
            }
        }

        @Test
        void configurationOfTheLockWinsOverItsAnnotation() {
            assertThat(waited(LockSettings.NONE, waiting(30))).isEqualTo(Duration.ofMillis(30));
        }

        @Test
        void annotationWinsOverTheSettingsForAll() {
            assertThat(waited(waiting(40), LockSettings.NONE)).isEqualTo(Duration.ofMillis(20));
        }

        private static LockSettings waiting(int millis) {
            return new LockSettings(null, Duration.ofMillis(millis), null, null, null, null, null, null, null);
        }

        private static Duration waited(LockSettings defaults, LockSettings named) {
            try (Locked own = with(defaults, "taken", named);
                    Lease busy = own.locks().getLock("taken").acquire()) {
                own.bean(Jobs.class).throwing();
                throw new AssertionError(busy);
            } catch (LockNotAcquiredException e) {
                return e.waited();
            }
        }
    }

    private static Locked with(LockSettings defaults, String name, LockSettings named) {
        return new Locked(
                context ->
                        context.registerBean(LockSettings.Source.class, () -> new FixedSettings(defaults, name, named)),
                Jobs.class);
    }

    static class Jobs {

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public void nothing() {
            RUNS.incrementAndGet();
        }

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public @Nullable String object() {
            return "ran";
        }

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public Optional<String> optional() {
            return Optional.of("ran");
        }

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public List<String> list() {
            return List.of("ran");
        }

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public Iterable<String> iterable() {
            return List.of("ran");
        }

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public SortedSet<String> sortedSet() {
            throw new AssertionError("ran");
        }

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public Map<String, String> map() {
            return Map.of("ran", "ran");
        }

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public String[] array() {
            return new String[] {"ran"};
        }

        @DistributedLock(name = "taken", onBusy = OnBusy.SKIP)
        public Stream<String> stream() {
            return Stream.of("ran");
        }

        @DistributedLock(name = "taken", waitTime = "20ms")
        public void throwing() {}

        @DistributedLock(name = "taken", waitTime = "20ms")
        @DistributedLock(name = "free")
        public void both() {}

        @DistributedLock(name = "taken", waitTime = "20ms", fallback = "queue")
        public String answered(String order) {
            return "ran " + order;
        }

        private String queue(String order) {
            return "queued " + order;
        }

        @DistributedLock(name = "taken", waitTime = "20ms", fallback = "explain")
        public String answeredWithReason(String order) {
            return "ran " + order;
        }

        String explain(String order, LockNotAcquiredException busy) {
            return order + ": " + busy.lockName();
        }

        @DistributedLock(name = "taken", fallback = "waited")
        public Duration answeredAtOnce() {
            throw new AssertionError("ran");
        }

        Duration waited(LockNotAcquiredException busy) {
            return busy.waited();
        }

        @DistributedLock(name = "taken", waitTime = "20ms", fallback = "fail")
        public void answeredByFailure() throws IOException {}

        void fail() throws IOException {
            throw new IOException("disk");
        }

        @DistributedLock(name = "down", waitTime = "100ms")
        public void failing() {}

        @DistributedLock(name = "down", waitTime = "100ms", onUnavailable = OnUnavailable.SKIP)
        public List<String> skippingUnavailable() {
            return List.of("ran");
        }

        /** Whether the body runs under a lock. */
        @DistributedLock(name = "down", waitTime = "100ms", onUnavailable = OnUnavailable.PROCEED)
        public boolean proceeding() {
            return LockContext.find().isPresent();
        }

        @DistributedLock(name = "around")
        public <T> T around(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "off")
        public <T> T switchedOff(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "lost")
        public void lostAndThrown() {
            awaitLoss();
        }

        @DistributedLock(name = "lost")
        public void lostAndFailed() {
            awaitLoss();
            throw new IllegalStateException("own");
        }

        @DistributedLock(name = "lost", onLost = OnLost.REPORT)
        public String lostAndReported() {
            awaitLoss();
            assertThatThrownBy(() -> LockContext.current().assertHeld()).isInstanceOf(LeaseLostException.class);
            return "done";
        }

        @DistributedLock(name = "lost", onLost = OnLost.INTERRUPT)
        public void lostAndInterruptedWhileBusy() {
            lose();
            spinUntil(() -> Thread.currentThread().isInterrupted());
        }

        @DistributedLock(name = "lost", onLost = OnLost.INTERRUPT)
        public void lostAndThrewInterrupted() throws InterruptedException {
            lose();
            new CountDownLatch(1).await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        @DistributedLock(name = "lost", onLost = OnLost.INTERRUPT)
        public void lostAfterAnInterrupt() {
            awaitLossAfter(() -> Thread.currentThread().interrupt());
        }

        @DistributedLock(name = "lost", onLost = OnLost.REPORT)
        public void outerOfInterrupted(Jobs proxy) throws InterruptedException {
            proxy.lostAndThrewInterrupted();
        }

        /** Takes the lock away, and lets its holder ask Redis. On another thread: an interrupt must not end that. */
        private static void lose() {
            Lease lease = LockContext.current();
            new Thread(() -> {
                        app.locks().forceRelease("lost");
                        assertThat(lease.verify()).isFalse();
                    })
                    .start();
        }

        private static void awaitLossAfter(Runnable first) {
            CountDownLatch lost = new CountDownLatch(1);
            LockContext.current().onLost(loss -> lost.countDown());
            first.run();
            lose();
            spinUntil(() -> lost.getCount() == 0);
        }

        /** Without a wait that an interrupt would end. */
        private static void spinUntil(BooleanSupplier done) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (!done.getAsBoolean() && System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        }

        private static void awaitLoss() {
            app.locks().forceRelease("lost");
            assertThat(LockContext.current().verify()).isFalse();
        }
    }
}
