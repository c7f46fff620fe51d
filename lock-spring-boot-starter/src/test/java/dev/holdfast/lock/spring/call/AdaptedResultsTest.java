package dev.holdfast.lock.spring.call;

import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLostException;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.OnBusy;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.testing.Await;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A call whose work ends later, with a stage and with the types of every library that Spring can adapt, whose work begins when somebody subscribes. */
class AdaptedResultsTest {

    private static final Duration PATIENCE = Await.PATIENCE;
    private static final ReactiveAdapterRegistry TYPES = ReactiveAdapterRegistry.getSharedInstance();

    @AutoClose
    private static Locked app;

    private static Shop shop;

    @BeforeAll
    static void start() {
        app = Locked.application(Shop.class);
        shop = app.bean(Shop.class);
    }

    /** What the annotated method of one type returns when its body waits for that publisher. */
    record Type(String name, java.util.function.Function<Publisher<Boolean>, Object> method) {
        Flux<Object> call(Publisher<Boolean> body) {
            Object result = method.apply(body);
            return Flux.from(TYPES.getAdapter(result.getClass()).toPublisher(result));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Type> types() {
        return Stream.of(
                new Type("CompletionStage", body -> Mono.defer(() -> Mono.fromCompletionStage(shop.stage(body)))),
                new Type("Mono", body -> shop.mono(body)),
                new Type("Flux", body -> shop.flux(body)),
                new Type("Single", body -> shop.single(body)),
                new Type("Maybe", body -> shop.maybe(body)),
                new Type("Completable", body -> shop.completable(body)),
                new Type("Uni", body -> shop.uni(body)),
                new Type("Multi", body -> shop.multi(body)),
                new Type("Flow.Publisher", body -> shop.flow(body)),
                new Type("Publisher", body -> shop.publisher(body)));
    }

    @ParameterizedTest
    @MethodSource("types")
    void lockIsHeldFromSubscriptionToCompletion(Type type) {
        Flux<Object> results = type.call(Mono.fromSupplier(() -> app.isHeld("type")));
        assertThat(app.isHeld("type")).isFalse();
        List<Object> seen = results.collectList().block(PATIENCE);
        assertThat(seen).isEqualTo(type.name().equals("Completable") ? List.of() : List.of(true));
        assertThat(app.isHeld("type")).isFalse();
    }

    @ParameterizedTest
    @MethodSource("types")
    void failureFreesTheLock(Type type) {
        assertThatThrownBy(() -> type.call(Mono.error(new IllegalStateException("no stock")))
                        .blockLast(PATIENCE))
                .hasMessageContaining("no stock");
        assertThat(app.isHeld("type")).isFalse();
    }

    @ParameterizedTest
    @MethodSource("types")
    void cancellationFreesTheLock(Type type) {
        Disposable subscription = type.call(Mono.never()).subscribe();
        Await.until("the lock is held", PATIENCE, () -> app.isHeld("type"));
        subscription.dispose();
        Await.until("the lock is free", PATIENCE, () -> !app.isHeld("type"));
    }

    @ParameterizedTest
    @MethodSource("types")
    void busyAndLostAreErrors(Type type) {
        try (Lease other = app.locks().getLock("type").acquire()) {
            assertThatThrownBy(() -> type.call(Mono.just(true)).blockLast(PATIENCE))
                    .isInstanceOf(LockNotAcquiredException.class);
            assertThat(other.isHeld()).isTrue();
        }
        assertThatThrownBy(() -> type.call(Mono.fromSupplier(() -> app.locks().forceRelease("type")))
                        .blockLast(PATIENCE))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void callMadeWhileTheOuterMethodRunsReenters() {
        assertThat(shop.outer(() -> shop.uni(Mono.fromSupplier(() -> app.isHeld("type"))))
                        .await()
                        .atMost(PATIENCE))
                .isTrue();
        assertThat(app.isHeld("type")).isFalse();
    }

    @Test
    void skippedCallIsEmpty() {
        try (Lease other = app.locks().getLock("skipped").acquire()) {
            assertThat(shop.skippedMaybe().isEmpty().blockingGet()).isTrue();
            assertThat(shop.skippedUni().await().atMost(PATIENCE)).isNull();
            shop.skippedCompletable().blockingAwait();
            assertThat(shop.skippedMono().blockOptional(PATIENCE)).isEmpty();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void typeThatNeedsAValueCannotBeSkipped() {
        assertRefused(SkippedSingle.class, "a skipped call has nothing to return");
    }

    static class Shop {

        @DistributedLock(name = "type")
        public CompletionStage<Boolean> stage(Publisher<Boolean> body) {
            return Mono.from(body).toFuture();
        }

        @DistributedLock(name = "type")
        public Mono<Boolean> mono(Publisher<Boolean> body) {
            return Mono.from(body);
        }

        @DistributedLock(name = "type")
        public Flux<Boolean> flux(Publisher<Boolean> body) {
            return Flux.from(body);
        }

        @DistributedLock(name = "type")
        public Single<Boolean> single(Publisher<Boolean> body) {
            return Single.fromPublisher(body);
        }

        @DistributedLock(name = "type")
        public Maybe<Boolean> maybe(Publisher<Boolean> body) {
            return Flowable.fromPublisher(body).firstElement();
        }

        @DistributedLock(name = "type")
        public Completable completable(Publisher<Boolean> body) {
            return Completable.fromPublisher(body);
        }

        @DistributedLock(name = "type")
        public Uni<Boolean> uni(Publisher<Boolean> body) {
            return Uni.createFrom().publisher(reactor.adapter.JdkFlowAdapter.publisherToFlowPublisher(body));
        }

        @DistributedLock(name = "type")
        public Multi<Boolean> multi(Publisher<Boolean> body) {
            return Multi.createFrom().publisher(reactor.adapter.JdkFlowAdapter.publisherToFlowPublisher(body));
        }

        @DistributedLock(name = "type")
        public Flow.Publisher<Boolean> flow(Publisher<Boolean> body) {
            return reactor.adapter.JdkFlowAdapter.publisherToFlowPublisher(body);
        }

        @DistributedLock(name = "type")
        public Publisher<Boolean> publisher(Publisher<Boolean> body) {
            return body;
        }

        @DistributedLock(name = "type")
        public Uni<Boolean> outer(Supplier<Uni<Boolean>> inner) {
            return inner.get();
        }

        @DistributedLock(name = "skipped", onBusy = OnBusy.SKIP)
        public Mono<String> skippedMono() {
            return Mono.just("not skipped");
        }

        @DistributedLock(name = "skipped", onBusy = OnBusy.SKIP)
        public Maybe<String> skippedMaybe() {
            return Maybe.just("not skipped");
        }

        @DistributedLock(name = "skipped", onBusy = OnBusy.SKIP)
        public Completable skippedCompletable() {
            return Completable.error(new IllegalStateException("not skipped"));
        }

        @DistributedLock(name = "skipped", onBusy = OnBusy.SKIP)
        public Uni<String> skippedUni() {
            return Uni.createFrom().item("not skipped");
        }
    }

    static class SkippedSingle {
        @DistributedLock(name = "single", onBusy = OnBusy.SKIP)
        public Single<String> run() {
            return Single.just("run");
        }
    }
}
