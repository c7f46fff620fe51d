package dev.holdfast.lock.spring.call;

import dev.holdfast.lock.spring.DistributedLock;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.Disposable;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What annotated methods declare and return. */
final class ResultShapes {

    /** A declared type, and what a call returns. The call receives the bean and the work that its result is about. */
    record Shape(String name, BiFunction<Declared, Supplier<String>, @Nullable Object> call) {
        @Override
        public String toString() {
            return name;
        }
    }

    private ResultShapes() {}

    /** Work that keeps its lock to its end. */
    static Stream<Shape> held() {
        return Stream.of(
                new Shape("CompletionStage<…>", (bean, work) -> bean.stage(() -> CompletableFuture.supplyAsync(work))),
                new Shape(
                        "Object: CompletableFuture",
                        (bean, work) -> bean.object(() -> CompletableFuture.supplyAsync(work))),
                new Shape(
                        "T: CompletableFuture",
                        (bean, work) -> bean.variable(() -> CompletableFuture.supplyAsync(work))));
    }

    /** Work that its declared type does not show: the call fails. */
    static Stream<Shape> hidden() {
        return Stream.of(
                new Shape("Object: Mono", (bean, work) -> bean.object(() -> Mono.fromSupplier(work))),
                new Shape("Object: Resource", (bean, work) -> bean.object(() -> resource(work))),
                new Shape(
                        "Object: Optional of a CompletableFuture",
                        (bean, work) -> bean.object(() -> Optional.of(new CompletableFuture<>()))),
                new Shape(
                        "Object: array of Monos",
                        (bean, work) -> bean.object(() -> new Object[] {Mono.fromSupplier(work)})),
                new Shape("Object: Iterable that is a lambda", (bean, work) -> bean.object(() -> iterable(work))),
                new Shape(
                        "Object: record with a CompletableFuture",
                        (bean, work) -> bean.object(() -> new Running(new CompletableFuture<>()))),
                new Shape(
                        "Serializable: Supplier",
                        (bean, work) -> bean.serializable(() -> (Supplier<String> & Serializable) work::get)),
                new Shape(
                        "Map.Entry<…, Object>: entry of a Mono",
                        (bean, work) -> bean.entry(() -> Map.entry("one", Mono.fromSupplier(work)))),
                new Shape(
                        "AtomicReference<Object>: reference of a Mono",
                        (bean, work) -> bean.reference(() -> new AtomicReference<>(Mono.fromSupplier(work)))),
                new Shape(
                        "record with an Object: record with a Mono",
                        (bean, work) -> bean.record(() -> new Holding(Mono.fromSupplier(work)))),
                new Shape("T: Mono", (bean, work) -> bean.variable(() -> Mono.fromSupplier(work))),
                new Shape("List<?>: list of Monos", (bean, work) -> bean.list(() -> List.of(Mono.fromSupplier(work)))),
                new Shape(
                        "Map<…, Object>: map of lists of Monos",
                        (bean, work) -> bean.map(() -> Map.of("all", List.of(Mono.fromSupplier(work))))),
                new Shape(
                        "ResponseEntity<?>: Mono as its body",
                        (bean, work) -> bean.entity(() -> ResponseEntity.ok(Mono.fromSupplier(work)))),
                new Shape(
                        "Mono<Object>: Mono of a Flux",
                        (bean, work) -> bean.mono(
                                () -> Mono.just(Mono.fromSupplier(work).flux()))),
                new Shape(
                        "Mono<ResponseEntity<?>>: Mono of an entity with a Flux",
                        (bean, work) -> bean.monoOfEntity(() -> Mono.just(
                                ResponseEntity.ok(Mono.fromSupplier(work).flux())))),
                new Shape(
                        "CompletionStage<Object>: stage of a Mono",
                        (bean, work) -> bean.stage(() -> CompletableFuture.supplyAsync(() -> Mono.fromSupplier(work)))),
                new Shape("Callable<Object>: Callable of a Supplier", (bean, work) -> bean.callable(() -> () -> work)));
    }

    record Running(CompletableFuture<String> future) {}

    record Holding(Object any) {}

    private static Iterable<String> iterable(Supplier<String> work) {
        return () -> List.of(work.get()).iterator();
    }

    private static Resource resource(Supplier<String> work) {
        return new InputStreamResource(() -> {
            throw new IllegalStateException(work.get());
        });
    }

    static class Declared {

        @DistributedLock(name = "shape")
        public Object object(Supplier<?> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public <T> T variable(Supplier<T> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public Serializable serializable(Supplier<Serializable> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public Map.Entry<String, Object> entry(Supplier<Map.Entry<String, Object>> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public AtomicReference<Object> reference(Supplier<AtomicReference<Object>> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public Holding record(Supplier<Holding> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public List<?> list(Supplier<List<?>> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public Map<String, Object> map(Supplier<Map<String, Object>> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public ResponseEntity<?> entity(Supplier<ResponseEntity<?>> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public Mono<Object> mono(Supplier<Mono<?>> body) {
            return body.get().cast(Object.class);
        }

        @DistributedLock(name = "shape")
        public Mono<ResponseEntity<?>> monoOfEntity(Supplier<Mono<ResponseEntity<?>>> body) {
            return body.get();
        }

        @DistributedLock(name = "shape")
        public CompletionStage<Object> stage(Supplier<CompletionStage<?>> body) {
            return body.get().thenApply(any -> any);
        }

        @DistributedLock(name = "shape")
        public Callable<Object> callable(Supplier<Callable<Object>> body) {
            return body.get();
        }
    }

    /** A subclass says what its method returns, which is refused. The method is never called. */
    abstract static sealed class Refused<T> {
        @DistributedLock(name = "refused")
        public T run() {
            throw new UnsupportedOperationException();
        }
    }

    static final class EntityOfMono extends Refused<ResponseEntity<Mono<String>>> {}

    static final class MonoOfEntityOfFlux extends Refused<Mono<ResponseEntity<Flux<String>>>> {}

    static final class StageOfMono extends Refused<CompletionStage<Mono<String>>> {}

    static final class ListOfMonos extends Refused<List<Mono<String>>> {}

    static final class MapOfArrays extends Refused<Map<String, Future<String>[]>> {}

    static final class EntityOfResource extends Refused<ResponseEntity<Resource>> {}

    static final class EntityOfStream extends Refused<ResponseEntity<StreamingResponseBody>> {}

    static final class OfSupplier extends Refused<Supplier<String>> {}

    static final class OfRunnable extends Refused<Runnable> {}

    static final class OfFunction extends Refused<Function<String, String>> {}

    static final class OfDisposable extends Refused<Disposable> {}

    static final class OfRecord extends Refused<Running> {}

    static final class OfRouter extends Refused<RouterFunction<ServerResponse>> {}

    static final class MonoOfResponse extends Refused<Mono<ServerResponse>> {}

    static final class OfFuture extends Refused<Future<String>> {}

    static final class OfDeferred extends Refused<DeferredResult<String>> {}

    static final class OfTask extends Refused<WebAsyncTask<String>> {}

    static final class OfEmitter extends Refused<ResponseBodyEmitter> {}

    static final class OfEvents extends Refused<SseEmitter> {}

    static final class OfSubclass extends Refused<ConnectableFlux<String>> {}
}
