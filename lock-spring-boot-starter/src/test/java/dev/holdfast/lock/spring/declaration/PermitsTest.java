package dev.holdfast.lock.spring.declaration;

import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** At most so many calls at a time, over two instances of an application. */
@Timeout(Await.TEST_SECONDS)
class PermitsTest {

    private final String prefix = UUID.randomUUID().toString().substring(0, 8) + ":";

    @AutoClose
    private final Locked first = Locked.instance(prefix, Exports.class);

    @AutoClose
    private final Locked second = Locked.instance(prefix, Exports.class);

    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();

    private CompletableFuture<Boolean> begun(Locked instance) {
        int before = running.get();
        // A thread for each call: since JDK 25 the common pool of two processors has one.
        CompletableFuture<Boolean> call = CompletableFuture.supplyAsync(
                () -> instance.bean(Exports.class).run("a", () -> {
                    running.incrementAndGet();
                    Locked.await(end);
                    return true;
                }),
                task -> new Thread(task).start());
        while (running.get() == before && !call.isDone()) {
            Thread.onSpinWait();
        }
        return call;
    }

    @Test
    void asManyCallsRunAsThereArePermitsAndOneMoreIsBusy() {
        List<CompletableFuture<Boolean>> calls = List.of(begun(first), begun(second));

        assertThat(running).hasValue(2);
        assertThatThrownBy(() -> first.bean(Exports.class).run("a", () -> true))
                .isInstanceOf(LockNotAcquiredException.class);
        assertThat(second.bean(Exports.class).skipping("a", () -> true)).isNull();
        assertThat(first.bean(Exports.class).run("b", () -> true))
                .as("another key")
                .isTrue();
        assertThat(first.locks().inspect("exports:a"))
                .get()
                .extracting(LockState::kind)
                .isEqualTo(LockKind.SEMAPHORE);

        end.countDown();
        assertThat(calls).allSatisfy(call -> assertThat(call.join()).isTrue());
        assertThat(first.isHeld("exports:a")).isFalse();
    }

    @Test
    void innerCallRunsUnderItsCallersPermit() {
        List<Long> tokens = new ArrayList<>();
        Exports exports = first.bean(Exports.class);
        exports.alone(() -> {
            tokens.add(LockContext.current().fencingToken());
            return exports.alone(() -> tokens.add(LockContext.current().fencingToken()));
        });
        assertThat(tokens).hasSize(2);
        assertThat(tokens.get(0)).isEqualTo(tokens.get(1));
    }

    @Test
    void numberMayBeAPlaceholder() {
        try (Locked app = new Locked(Locked.property("fair.permits", "4"), Placeholder.class)) {
            app.bean(Placeholder.class)
                    .run(() -> assertThat(app.locks().inspect("fair")).get().satisfies(state -> {
                        assertThat(state.kind()).isEqualTo(LockKind.FAIR_SEMAPHORE);
                        assertThat(state.owner()).endsWith(":4");
                    }));
        }
    }

    @Test
    void whatCannotBeASemaphoreIsRefusedAtStartup() {
        assertRefused(TooMany.class, "'permits' is '10001'", "1 to 10000");
        assertRefused(NoNumber.class, "'permits' is 'three'", "1 to 10000");
        assertRefused(Writer.class, "'permits' does not go with 'kind = WRITE'");
        assertRefused(Keys.class, "'permits' and 'keys' are both given");
        assertRefused(Numberless.class, "a semaphore has no 'permits'");
        assertRefused(TwoKinds.class, "SEMAPHORE", "REENTRANT", "One name is one kind of lock");
    }

    static class Exports {

        @DistributedLock(name = "exports", key = "#region", permits = "2", waitTime = "10ms")
        public Boolean run(String region, Supplier<Boolean> body) {
            return body.get();
        }

        @DistributedLock(name = "exports", key = "#region", permits = "2", onBusy = OnBusy.SKIP)
        public Boolean skipping(String region, Supplier<Boolean> body) {
            return body.get();
        }

        @DistributedLock(name = "alone", permits = "1", waitTime = "10ms")
        public Object alone(Supplier<?> body) {
            return body.get();
        }
    }

    static class Placeholder {

        @DistributedLock(name = "fair", kind = LockKind.FAIR, permits = "${fair.permits:2}")
        public Object run(Supplier<?> body) {
            return body.get();
        }
    }

    static class TooMany {

        @DistributedLock(name = "x", permits = "10001")
        public void run() {}
    }

    static class NoNumber {

        @DistributedLock(name = "x", permits = "three")
        public void run() {}
    }

    static class Writer {

        @DistributedLock(name = "x", permits = "2", kind = LockKind.WRITE)
        public void run() {}
    }

    static class Keys {

        @DistributedLock(name = "x", permits = "2", keys = "#ids")
        public void run(List<String> ids) {}
    }

    static class Numberless {

        @DistributedLock(name = "x", kind = LockKind.SEMAPHORE)
        public void run() {}
    }

    static class TwoKinds {

        @DistributedLock(name = "x", permits = "2")
        public void run() {}

        @DistributedLock(name = "x")
        public void other() {}
    }
}
