package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;

/** A call whose work begins when somebody subscribes. */
class ReactiveResultsTest {

    private static final Duration PATIENCE = Await.PATIENCE;

    @AutoClose
    private static Locked app;

    private static Shop shop;

    @BeforeAll
    static void start() {
        app = Locked.application(Shop.class);
        shop = app.bean(Shop.class);
    }

    @Test
    void nothingIsLockedBeforeSomebodySubscribes() {
        Shop.CALLS.clear();
        Mono<Boolean> mono = shop.isHeld("lazy");
        assertThat(app.isHeld("flow:lazy")).isFalse();
        assertThat(Shop.CALLS).isEmpty();
        assertThat(mono.block(PATIENCE)).isTrue();
        assertThat(app.isHeld("flow:lazy")).isFalse();
    }

    @Test
    void eachSubscriberTakesTheLockForItself() {
        Mono<Long> mono = shop.token("each", null);
        assertThat(mono.block(PATIENCE)).isLessThan(mono.block(PATIENCE));
    }

    @Test
    void fluxHoldsTheLockUntilItsLastElement() {
        Sinks.Many<Integer> sink = Sinks.many().unicast().onBackpressureBuffer();
        List<Integer> seen = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> done =
                shop.stream("stream", sink.asFlux()).doOnNext(seen::add).then().toFuture();
        Await.until("the lock is held", PATIENCE, () -> app.isHeld("flow:stream"));
        sink.tryEmitNext(1);
        Await.until("the first is there", PATIENCE, () -> seen.size() == 1);
        assertThat(app.isHeld("flow:stream")).isTrue();
        sink.tryEmitComplete();
        assertThat(done).succeedsWithin(PATIENCE);
        assertThat(app.isHeld("flow:stream")).isFalse();
    }

    @Test
    void lockIsFreeWhereTheBodyThrows() {
        assertThatThrownBy(() -> shop.fail("throws").block(PATIENCE)).hasMessage("closed");
        assertThat(app.isHeld("flow:throws")).isFalse();
    }

    @Test
    void cancelledWaitLeavesNothing() throws Exception {
        try (Lease other = app.locks().getLock("flow:waiting").acquire()) {
            Disposable waiting = shop.isHeldAfterAWait("waiting").subscribe();
            Await.until(
                    "it waits",
                    PATIENCE,
                    () -> app.locks().inspect("flow:waiting").orElseThrow().waitersHere() == 1);
            waiting.dispose();
            Await.until(
                    "nobody waits",
                    PATIENCE,
                    () -> app.locks().inspect("flow:waiting").orElseThrow().waitersHere() == 0);
            other.releaseAsync().toCompletableFuture().get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(app.isHeld("flow:waiting")).isFalse();
        }
    }

    /** An operator that may change its source can lose a cancellation that comes while it is subscribed: Reactor 3.8 did one in 40,000 times. */
    @Test
    void cancellationReachesTheLocksWithoutAnOperatorThatMayLoseIt() throws Exception {
        Class<?> mayLoseIt = Class.forName("reactor.core.publisher.Operators$MultiSubscriptionSubscriber");
        CompletableFuture<Subscription> handed = new CompletableFuture<>();
        shop.stream("straight", Flux.<Integer>never()).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                handed.complete(subscription);
            }
        });
        Subscription subscription = handed.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(subscription).isNotInstanceOf(mayLoseIt);
        subscription.cancel();
        assertThat(Scannable.from(subscription).parents()).noneMatch(mayLoseIt::isInstance);
    }

    @Test
    void cancellationAtAnyMomentLeavesNoLock() {
        for (int round = 0; round < 200; round++) {
            Disposable subscription = shop.stream("racy", Flux.<Integer>never()).subscribe();
            // The moment wanders over the acquisition, whose answer takes some hundred microseconds.
            long end = System.nanoTime() + round * 5_000L;
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
            subscription.dispose();
            Await.until(
                    "the lock is free", PATIENCE, () -> app.locks().heldLocks().isEmpty());
        }
        Await.until("the lock is free in Redis", PATIENCE, () -> !app.isHeld("flow:racy"));
    }

    @Test
    void subscribersThreadDoesNotWait() {
        try (Lease other = app.locks().getLock("flow:blocked").acquire()) {
            // The thread that subscribes is the one that releases: if it waited for the lock, the call would fail as
            // busy.
            CompletableFuture<Boolean> waiting =
                    shop.isHeldAfterAWait("blocked").toFuture();
            assertThat(other.isHeld()).isTrue();
            other.close();
            assertThat(waiting).succeedsWithin(PATIENCE).isEqualTo(true);
        }
    }

    @Test
    void callThatIsCancelledWhileItExtendsTheOuterLeaseDoesNotKeepTheLock() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(RedisServer.shared().port());
                Locked slow = Locked.instance(
                        proxy.uri().toURI().toString(), "extends-" + System.nanoTime() + ":", Shop.class)) {
            Shop bean = slow.bean(Shop.class);
            Mono<String> outer = bean.minute("late", Mono.deferContextual(context -> {
                proxy.holdBack();
                bean.twoMinutes("late")
                        .contextWrite(write -> write.putAll(context))
                        .subscribe()
                        .dispose();
                proxy.heal();
                return Mono.just("done");
            }));
            assertThat(outer.block(PATIENCE)).isEqualTo("done");
            Await.until("the lock is free", PATIENCE, () -> !slow.isHeld("flow:late"));
        }
    }

    @Test
    void bodysMonoIsNotCancelledWhenItHasCompleted() {
        List<SignalType> ends = new CopyOnWriteArrayList<>();
        assertThat(shop.finish("completes", ends).block(PATIENCE)).isEqualTo("done");
        // doFinally runs after the subscriber has been told, on another thread.
        Await.until("the end", PATIENCE, () -> !ends.isEmpty());
        assertThat(ends).containsExactly(SignalType.ON_COMPLETE);
    }

    static class Shop {

        static final List<String> CALLS = new CopyOnWriteArrayList<>();

        @DistributedLock(name = "flow", key = "#key")
        public Mono<Boolean> isHeld(String key) {
            CALLS.add(key);
            return Mono.fromSupplier(() -> app.isHeld("flow:" + key));
        }

        /** Longer than the patience of the tests, so that no wait ends by itself. */
        @DistributedLock(name = "flow", key = "#key", waitTime = "10m")
        public Mono<Boolean> isHeldAfterAWait(String key) {
            return Mono.fromSupplier(() -> app.isHeld("flow:" + key));
        }

        @DistributedLock(name = "flow", key = "#key")
        public Mono<Long> token(String key, @Nullable Lease lease) {
            return Mono.just(lease.fencingToken());
        }

        @DistributedLock(name = "flow", key = "#key")
        public Flux<Integer> stream(String key, Flux<Integer> elements) {
            return elements;
        }

        @DistributedLock(name = "flow", key = "#key")
        public Mono<String> fail(String key) {
            throw new IllegalStateException("closed");
        }

        @DistributedLock(name = "flow", key = "#key", leaseTime = "1m")
        public Mono<String> minute(String key, Mono<String> body) {
            return body;
        }

        @DistributedLock(name = "flow", key = "#key", leaseTime = "2m")
        public Mono<String> twoMinutes(String key) {
            return Mono.never();
        }

        @DistributedLock(name = "flow", key = "#key")
        public Mono<String> finish(String key, List<SignalType> ends) {
            return Mono.just("done").doFinally(ends::add);
        }
    }
}
