package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Locked;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods whose bodies are traced work: a span "work" of their own. */
class ObservedCalls {

    private final ObservationRegistry registry;

    ObservedCalls(ObservationRegistry registry) {
        this.registry = registry;
    }

    private <T> T work(Supplier<T> what) {
        return Observation.createNotStarted("work", registry).observe(what);
    }

    @DistributedLock(name = "order", key = "#id", waitTime = "20ms")
    public String pay(String id, Supplier<String> inside) {
        return work(inside);
    }

    @DistributedLock(name = "stock")
    @DistributedLock(name = "audit")
    public String both(Supplier<String> inside) {
        return work(inside);
    }

    @DistributedLock(name = "later", key = "#id")
    public CompletableFuture<String> later(String id, Executor executor, CountDownLatch finish) {
        return CompletableFuture.supplyAsync(
                () -> work(() -> {
                    Locked.await(finish);
                    return "done";
                }),
                executor);
    }

    @DistributedLock(name = "flow", key = "#id")
    public Mono<String> flow(String id) {
        return Mono.just(id).handle((value, sink) -> sink.next(work(() -> value)));
    }

    @DistributedLock(name = "flow", key = "#id")
    public Flux<String> flows(String id) {
        return Flux.just(id).handle((value, sink) -> sink.next(work(() -> value)));
    }
}
