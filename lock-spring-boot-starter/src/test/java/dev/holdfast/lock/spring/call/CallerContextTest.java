package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.LockContext;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshotFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The work of a call on other threads: it re-enters the call's locks where Micrometer carries the caller's context to it. */
class CallerContextTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    private static final ExecutorService POOL = Executors.newSingleThreadExecutor();

    private static Locked app;
    private static Shop shop;

    @BeforeAll
    static void start() {
        Hooks.enableAutomaticContextPropagation();
        app = Locked.application(Shop.class);
        shop = app.bean(Shop.class);
    }

    @AfterAll
    static void stop() {
        app.close();
        POOL.shutdownNow();
        Hooks.disableAutomaticContextPropagation();
    }

    private static Executor carrying() {
        return ContextExecutorService.wrap(
                POOL, () -> ContextSnapshotFactory.builder().build().captureAll());
    }

    private static long token() {
        return LockContext.current().fencingToken();
    }

    @Test
    void blockingCallInsideAMonoReentersOnAnotherThread() {
        Mono<Long> call = shop.other("other", () -> shop.blocking("other", CallerContextTest::token));
        assertThat(call.block(PATIENCE)).isNotNull();
    }

    @Test
    void leaseIsFoundInsideAMonoAndNotAfterIt() {
        assertThat(shop.other("found", () -> LockContext.find().orElseThrow().lockName())
                        .block(PATIENCE))
                .isEqualTo("carried:found");
        assertThat(LockContext.find()).isEmpty();
        assertThat(Mono.fromSupplier(LockContext::find)
                        .subscribeOn(Schedulers.single())
                        .block(PATIENCE))
                .isEmpty();
    }

    @Test
    void publisherInsideABlockingCallReenters() {
        assertThat(shop.<Long>blocking(
                        "inside",
                        () -> shop.mono("inside", CallerContextTest::token).block(PATIENCE)))
                .isNotNull();
    }

    @Test
    void blockingCallInsideAStageReenters() {
        assertThat(shop.stage("stage", carrying(), () -> shop.blocking("stage", CallerContextTest::token)))
                .succeedsWithin(PATIENCE);
        assertThat(app.isHeld("carried:stage")).isFalse();
    }

    @Test
    void workThatOutlivesTheCallAcquiresTheLockForItself() throws Exception {
        CompletableFuture<Void> returned = new CompletableFuture<>();
        CompletableFuture<Long> later = new CompletableFuture<>();
        long first = shop.blocking("outlives", () -> {
            carrying().execute(() -> {
                returned.join();
                later.complete(shop.blocking("outlives", CallerContextTest::token));
            });
            return token();
        });
        returned.complete(null);
        assertThat(later)
                .succeedsWithin(PATIENCE)
                .satisfies(token -> assertThat(token).isGreaterThan(first));
    }

    @Test
    void workOfAPlainExecutorIsAnotherCaller() {
        assertThat(shop.stage("plain", POOL, () -> shop.blocking("plain", CallerContextTest::token)))
                .failsWithin(PATIENCE)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(LockNotAcquiredException.class);
    }

    @Test
    void manualHoldAndAnnotatedCallAreTwoHolders() {
        try (Lease manual = app.locks().getLock("carried:manual").acquire()) {
            assertThat(CompletableFuture.supplyAsync(() -> shop.blocking("manual", () -> true), Runnable::run))
                    .isCompletedExceptionally();
            assertThat(manual.isHeld()).isTrue();
        }
    }

    static class Shop {

        @DistributedLock(name = "carried", key = "#key")
        public <T> T blocking(String key, Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "carried", key = "#key")
        public <T> Mono<T> mono(String key, Supplier<T> body) {
            return Mono.fromSupplier(body);
        }

        @DistributedLock(name = "carried", key = "#key")
        public <T> Mono<T> other(String key, Supplier<T> body) {
            return Mono.just(key).publishOn(Schedulers.boundedElastic()).map(any -> body.get());
        }

        @DistributedLock(name = "carried", key = "#key")
        public <T> CompletableFuture<T> stage(String key, Executor executor, Supplier<T> body) {
            return CompletableFuture.supplyAsync(body, executor);
        }
    }
}
