package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.WrongLockKindException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.OnUnavailable;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.RedisServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.NestedExceptionUtils;
import reactor.core.publisher.Mono;

/** A name that is held as another kind: a wrong declaration, which no policy turns into a run or into a skip. */
class WrongKindTest {

    private static final AtomicInteger RUNS = new AtomicInteger();

    static Stream<Function<Jobs, ?>> calls() {
        return Stream.of(
                Jobs::proceeding,
                jobs -> jobs.proceedingStage().toCompletableFuture().join(),
                jobs -> jobs.proceedingMono().block(),
                Jobs::skipping,
                Jobs::falling);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void callFailsWithTheReasonWhateverItsPolicies(Function<Jobs, ?> call) {
        try (Locked app = Locked.application(Jobs.class);
                Lease fair = app.locks().getLock("job", LockKind.FAIR).acquire()) {
            RUNS.set(0);
            Throwable thrown = catchThrowable(() -> call.apply(app.bean(Jobs.class)));
            assertThat(NestedExceptionUtils.getMostSpecificCause(thrown)).hasMessageContaining("WRONGKIND");
            assertThat(thrown instanceof CompletionException ? thrown.getCause() : thrown)
                    .isInstanceOf(WrongLockKindException.class)
                    .hasMessageContainingAll("'job'", "held as a fair lock", "Use one kind of lock for one name");
            assertThat(RUNS).hasValue(0);
            assertThat(fair.isHeld()).isTrue();
        }
    }

    @Test
    void keyOfSomethingElseIsNoOutageEither() {
        try (Locked app = Locked.application(Jobs.class)) {
            RedisServer.shared().cli().set(app.key("job"), "no lock");
            RUNS.set(0);
            assertThat(catchThrowable(() -> app.bean(Jobs.class).proceeding()))
                    .isInstanceOf(WrongLockKindException.class)
                    .hasMessageContaining("choose another name");
            assertThat(RUNS).hasValue(0);
            RedisServer.shared().cli().del(app.key("job"));
        }
    }

    static class Jobs {

        @DistributedLock(name = "job", onUnavailable = OnUnavailable.PROCEED)
        public Object proceeding() {
            return RUNS.incrementAndGet();
        }

        @DistributedLock(name = "job", onUnavailable = OnUnavailable.PROCEED)
        public CompletionStage<Integer> proceedingStage() {
            return CompletableFuture.completedFuture(RUNS.incrementAndGet());
        }

        @DistributedLock(name = "job", onUnavailable = OnUnavailable.PROCEED)
        public Mono<Integer> proceedingMono() {
            return Mono.fromCallable(RUNS::incrementAndGet);
        }

        @DistributedLock(name = "job", onBusy = OnBusy.SKIP, onUnavailable = OnUnavailable.SKIP)
        public Object skipping() {
            return RUNS.incrementAndGet();
        }

        @DistributedLock(name = "job", fallback = "instead", onUnavailable = OnUnavailable.SKIP)
        public Object falling() {
            return RUNS.incrementAndGet();
        }

        Object instead() {
            return RUNS.incrementAndGet();
        }
    }
}
