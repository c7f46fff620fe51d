package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.declaration.LockOperation;
import dev.holdfast.lock.spring.fixture.Locked;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.annotation.Order;
import reactor.core.publisher.Mono;

/** What a feature that fails does to a call, and to other features. */
class AroundLockTest {

    @AutoClose
    private static Locked app;

    @BeforeAll
    static void start() {
        app = Locked.application(Jobs.class, Broken.class, Listening.class);
    }

    private final Jobs jobs = app.bean(Jobs.class);
    private final Broken broken = app.bean(Broken.class);

    @BeforeEach
    void forget() {
        jobs.forget();
        broken.moment = "";
        heard().clear();
    }

    static Stream<Arguments> ends() {
        return eachCall("beforeRelease", "stage of beforeRelease", "released");
    }

    @ParameterizedTest
    @MethodSource("ends")
    void lockIsReleasedAlthoughAFeatureFailsAtTheEnd(String moment, Function<Jobs, String> call) {
        broken.moment = moment;

        assertThat(call.apply(jobs)).isEqualTo("ran");

        assertThat(app.isHeld("job")).isFalse();
        assertThat(heard()).endsWith("beforeRelease", "released");
    }

    static Stream<Arguments> begins() {
        return eachCall("beforeRequest", "whenHeld", "acquired", "beforeMethod", "begun", "enter");
    }

    @ParameterizedTest
    @MethodSource("begins")
    void callFailsIfAFeatureFailsBeforeTheMethod(String moment, Function<Jobs, String> call) {
        broken.moment = moment;

        assertThatThrownBy(() -> call.apply(jobs)).hasMessage(moment);

        assertThat(jobs.hasRun()).isFalse();
        assertThat(app.isHeld("job")).isFalse();
        assertThat(CallerContext.current()).isEqualTo(CallerContext.NONE);
    }

    private static Stream<Arguments> eachCall(String... moments) {
        List<Function<Jobs, String>> calls = List.of(
                Jobs::run,
                jobs -> jobs.stage().toCompletableFuture().join(),
                jobs -> jobs.mono().block());
        return Stream.of(moments).flatMap(moment -> calls.stream().map(call -> arguments(moment, call)));
    }

    @Test
    void refusedCallThrowsItsRefusalAlthoughAFeatureFails() {
        broken.moment = "refused";
        try (Lease busy = app.locks().getLock("job").acquire()) {
            assertThatThrownBy(jobs::run).isInstanceOf(LockNotAcquiredException.class);
            assertThat(busy.isHeld()).isTrue();
        }
        assertThat(heard()).contains("refused");
    }

    /** A call that was refused hears no more, but this one holds its lock. */
    @Test
    void callThatProceedsUnderItsLockIsNotRefused() {
        broken.moment = "unavailable";
        assertThat(jobs.proceed()).isEqualTo("ran");
        assertThat(heard())
                .containsExactly(
                        "beforeRequest",
                        "acquired",
                        "beforeMethod",
                        "begun",
                        "enter",
                        "leave",
                        "beforeRelease",
                        "released");
        assertThat(app.isHeld("optional")).isFalse();
    }

    @Test
    void allScopesAreLeftAlthoughOneFails() {
        broken.moment = "leave";
        assertThat(jobs.run()).isEqualTo("ran");
        assertThat(heard()).contains("leave");
        assertThat(app.isHeld("job")).isFalse();
        assertThat(CallerContext.current()).isEqualTo(CallerContext.NONE);
        assertThat(LockContext.find()).isEmpty();
    }

    private List<String> heard() {
        return app.bean(Listening.class).heard;
    }

    static class Jobs {

        private volatile boolean ran;

        void forget() {
            ran = false;
        }

        boolean hasRun() {
            return ran;
        }

        @DistributedLock(name = "job")
        public String run() {
            ran = true;
            return "ran";
        }

        @DistributedLock(name = "optional", onUnavailable = OnUnavailable.PROCEED)
        public String proceed() {
            return body();
        }

        @DistributedLock(name = "job")
        public CompletionStage<String> stage() {
            return CompletableFuture.supplyAsync(this::body);
        }

        @DistributedLock(name = "job")
        public Mono<String> mono() {
            return Mono.fromSupplier(this::body);
        }

        private String body() {
            ran = true;
            return "ran";
        }
    }

    /** Fails at one moment. */
    @Order(1)
    static class Broken extends Moments {

        private volatile String moment = "";

        @Override
        void at(String now) {
            if (now.equals(moment)) {
                throw new IllegalStateException(now);
            }
        }

        @Override
        CompletableFuture<?> held(String lockName) {
            return moment.equals("unavailable")
                    ? CompletableFuture.failedFuture(new LockUnavailableException(lockName, "no answer", null))
                    : AroundLock.DONE;
        }

        @Override
        CompletableFuture<?> end() {
            return moment.equals("stage of beforeRelease")
                    ? CompletableFuture.failedFuture(new IllegalStateException(moment))
                    : AroundLock.DONE;
        }
    }

    /** Is asked after the one that fails. */
    @Order(2)
    static class Listening extends Moments {

        private final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        void at(String now) {
            heard.add(now);
        }
    }

    abstract static class Moments implements Function<LockOperation, @Nullable LockFeature> {

        abstract void at(String now);

        CompletableFuture<?> held(String lockName) {
            return AroundLock.DONE;
        }

        CompletableFuture<?> end() {
            return AroundLock.DONE;
        }

        @Override
        public LockFeature apply(LockOperation operation) {
            return call -> new AroundLock() {
                @Override
                public CompletableFuture<?> beforeRequest(boolean blocking) {
                    at("beforeRequest");
                    return DONE;
                }

                @Override
                public CompletableFuture<?> whenHeld(Lease lease, boolean blocking) {
                    at("whenHeld");
                    return held(lease.lockName());
                }

                @Override
                public void acquired(Lease lease) {
                    at("acquired");
                }

                @Override
                public void refused(Refusal refusal) {
                    at("refused");
                }

                @Override
                public void beforeMethod(HeldLock lock) {
                    at("beforeMethod");
                }

                @Override
                public void begun() {
                    at("begun");
                }

                @Override
                public LockContext.Scope enter() {
                    at("enter");
                    return () -> at("leave");
                }

                @Override
                public CompletableFuture<?> beforeRelease(RunEnd end, boolean blocking) {
                    at("beforeRelease");
                    return end();
                }

                @Override
                public void released() {
                    at("released");
                }
            };
        }
    }
}
