package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.function.Consumer;
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

/** What annotated methods declare and return, and what becomes of their locks. */
final class ResultShapes {

    enum Outcome {
        REFUSED("refused at startup"),
        HELD("held to its end"),
        FAILS("the call fails");

        private final String text;

        Outcome(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** The call receives the bean and the work that its result is about. A refused shape is a class with a method {@code run}. */
    record Shape(
            String declared,
            String returned,
            Outcome outcome,
            BiFunction<Declared, Supplier<String>, @Nullable Object> call,
            Class<?> refused) {

        Shape(String declared, String returned, Outcome outcome) {
            this(declared, returned, outcome, (bean, work) -> null, Object.class);
        }

        @Override
        public String toString() {
            return declared + " | " + returned + " | " + outcome.text();
        }
    }

    private ResultShapes() {}

    static Stream<Shape> all() {
        return Stream.of(refused(), held(), failing()).flatMap(each -> each);
    }

    private static Shape refused(String declared, Class<?> bean) {
        return new Shape(declared, "", Outcome.REFUSED, (none, work) -> null, bean);
    }

    private static Stream<Shape> refused() {
        return Stream.of(
                refused("ResponseEntity<Mono<…>>", EntityOfMono.class),
                refused("Mono<ResponseEntity<Flux<…>>>", MonoOfEntityOfFlux.class),
                refused("Mono<Flux<…>>", MonoOfFlux.class),
                refused("CompletionStage<Mono<…>>", StageOfMono.class),
                refused("Optional<CompletionStage<…>>", OptionalOfStage.class),
                refused("List<Mono<…>>", ListOfMonos.class),
                refused("List<CompletableFuture<…>>", ListOfFutures.class),
                refused("Map<…, Future<…>[]>", MapOfArrays.class),
                refused("ResponseEntity<Callable<…>>", EntityOfCallable.class),
                refused("ResponseEntity<Resource>", EntityOfResource.class),
                refused("ResponseEntity<StreamingResponseBody>", EntityOfStream.class),
                refused("Supplier<…>", OfSupplier.class),
                refused("Runnable", OfRunnable.class),
                refused("Function<…>", OfFunction.class),
                refused("Consumer<…>", OfConsumer.class),
                refused("Disposable", OfDisposable.class),
                refused("record with a Future<…>", OfRecord.class),
                refused("AtomicReference<Future<…>>", ReferenceOfFuture.class),
                refused("RouterFunction<…>", OfRouter.class),
                refused("Mono<ServerResponse>", MonoOfResponse.class),
                refused("Future<…>", OfFuture.class),
                refused("DeferredResult<…>", OfDeferred.class),
                refused("WebAsyncTask<…>", OfTask.class),
                refused("ResponseBodyEmitter", OfEmitter.class),
                refused("SseEmitter", OfEvents.class),
                refused("ConnectableFlux<…>", OfSubclass.class));
    }

    private static Shape held(
            String declared, String returned, BiFunction<Declared, Supplier<String>, @Nullable Object> call) {
        return new Shape(declared, returned, Outcome.HELD, call, Object.class);
    }

    private static Stream<Shape> held() {
        return Stream.of(
                held("CompletionStage<…>", "", (bean, work) -> bean.stage(() -> CompletableFuture.supplyAsync(work))),
                held("Callable<…>", "", (bean, work) -> bean.callable(() -> work::get)),
                held("Mono<…>", "", (bean, work) -> bean.mono(() -> Mono.fromSupplier(work))),
                held("Flux<…>", "", (bean, work) -> bean.flux(() -> Flux.defer(() -> Flux.just(work.get())))),
                held(
                        "Object",
                        "CompletableFuture",
                        (bean, work) -> bean.object(() -> CompletableFuture.supplyAsync(work))),
                held(
                        "T",
                        "CompletableFuture",
                        (bean, work) -> bean.variable(() -> CompletableFuture.supplyAsync(work))));
    }

    private static Shape fails(
            String declared, String returned, BiFunction<Declared, Supplier<String>, @Nullable Object> call) {
        return new Shape(declared, returned, Outcome.FAILS, call, Object.class);
    }

    private static Stream<Shape> failing() {
        return Stream.of(
                fails("Object", "Mono", (bean, work) -> bean.object(() -> Mono.fromSupplier(work))),
                fails("Object", "Callable", (bean, work) -> bean.object(() -> (Callable<String>) work::get)),
                fails("Object", "Supplier", (bean, work) -> bean.object(() -> work)),
                fails("Object", "StreamingResponseBody", (bean, work) -> bean.object(() -> streaming(work))),
                fails("Object", "Resource", (bean, work) -> bean.object(() -> resource(work))),
                fails(
                        "Object",
                        "Optional of a CompletableFuture",
                        (bean, work) -> bean.object(() -> Optional.of(new CompletableFuture<>()))),
                fails(
                        "Object",
                        "array of Monos",
                        (bean, work) -> bean.object(() -> new Object[] {Mono.fromSupplier(work)})),
                fails(
                        "Object",
                        "Function",
                        (bean, work) -> bean.object(() -> (Function<String, String>) any -> work.get())),
                fails("Object", "Iterable that is a lambda", (bean, work) -> bean.object(() -> iterable(work))),
                fails(
                        "Object",
                        "record with a CompletableFuture",
                        (bean, work) -> bean.object(() -> new Running(new CompletableFuture<>()))),
                fails(
                        "Serializable",
                        "Supplier",
                        (bean, work) -> bean.serializable(() -> (Supplier<String> & Serializable) work::get)),
                fails(
                        "AutoCloseable",
                        "lambda",
                        (bean, work) -> bean.closeable(
                                () -> () -> assertThat(work.get()).isEmpty())),
                fails(
                        "Map.Entry<…, Object>",
                        "entry of a Mono",
                        (bean, work) -> bean.entry(() -> Map.entry("one", Mono.fromSupplier(work)))),
                fails(
                        "AtomicReference<Object>",
                        "reference of a Mono",
                        (bean, work) -> bean.reference(() -> new AtomicReference<>(Mono.fromSupplier(work)))),
                fails(
                        "record with an Object",
                        "record with a Mono",
                        (bean, work) -> bean.record(() -> new Holding(Mono.fromSupplier(work)))),
                fails("T", "Mono", (bean, work) -> bean.variable(() -> Mono.fromSupplier(work))),
                fails("List<?>", "list of Monos", (bean, work) -> bean.list(() -> List.of(Mono.fromSupplier(work)))),
                fails(
                        "Map<…, Object>",
                        "map of lists of Monos",
                        (bean, work) -> bean.map(() -> Map.of("all", List.of(Mono.fromSupplier(work))))),
                fails(
                        "ResponseEntity<?>",
                        "Mono as its body",
                        (bean, work) -> bean.entity(() -> ResponseEntity.ok(Mono.fromSupplier(work)))),
                fails(
                        "ResponseEntity<?>",
                        "Callable as its body",
                        (bean, work) -> bean.entity(() -> ResponseEntity.ok((Callable<String>) work::get))),
                fails(
                        "ResponseEntity<?>",
                        "Resource as its body",
                        (bean, work) -> bean.entity(() -> ResponseEntity.ok(resource(work)))),
                fails(
                        "Mono<Object>",
                        "Mono of a Flux",
                        (bean, work) -> bean.mono(
                                () -> Mono.just(Mono.fromSupplier(work).flux()))),
                fails(
                        "Mono<ResponseEntity<?>>",
                        "Mono of an entity with a Flux",
                        (bean, work) -> bean.monoOfEntity(() -> Mono.just(
                                ResponseEntity.ok(Mono.fromSupplier(work).flux())))),
                fails(
                        "CompletionStage<Object>",
                        "stage of a Mono",
                        (bean, work) -> bean.stage(() -> CompletableFuture.supplyAsync(() -> Mono.fromSupplier(work)))),
                fails("Callable<Object>", "Callable of a Supplier", (bean, work) -> bean.callable(() -> () -> work)));
    }

    record Running(CompletableFuture<String> future) {}

    record Holding(Object any) {}

    private static Iterable<String> iterable(Supplier<String> work) {
        return () -> List.of(work.get()).iterator();
    }

    private static StreamingResponseBody streaming(Supplier<String> work) {
        return out -> out.write(work.get().length());
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
        public AutoCloseable closeable(Supplier<AutoCloseable> body) {
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
        public Flux<String> flux(Supplier<Flux<String>> body) {
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

    /** The method is never called. A subclass says what it returns. */
    abstract static class Refused<T> {
        @DistributedLock(name = "refused")
        public T run() {
            throw new UnsupportedOperationException();
        }
    }

    static class EntityOfMono extends Refused<ResponseEntity<Mono<String>>> {}

    static class MonoOfEntityOfFlux extends Refused<Mono<ResponseEntity<Flux<String>>>> {}

    static class MonoOfFlux extends Refused<Mono<Flux<String>>> {}

    static class StageOfMono extends Refused<CompletionStage<Mono<String>>> {}

    static class OptionalOfStage extends Refused<Optional<CompletionStage<String>>> {}

    static class ListOfMonos extends Refused<List<Mono<String>>> {}

    static class ListOfFutures extends Refused<List<CompletableFuture<String>>> {}

    static class MapOfArrays extends Refused<Map<String, Future<String>[]>> {}

    static class EntityOfCallable extends Refused<ResponseEntity<Callable<String>>> {}

    static class EntityOfResource extends Refused<ResponseEntity<Resource>> {}

    static class EntityOfStream extends Refused<ResponseEntity<StreamingResponseBody>> {}

    static class OfSupplier extends Refused<Supplier<String>> {}

    static class OfRunnable extends Refused<Runnable> {}

    static class OfFunction extends Refused<Function<String, String>> {}

    static class OfConsumer extends Refused<Consumer<String>> {}

    static class OfDisposable extends Refused<Disposable> {}

    static class OfRecord extends Refused<Running> {}

    static class ReferenceOfFuture extends Refused<AtomicReference<Future<String>>> {}

    static class OfRouter extends Refused<RouterFunction<ServerResponse>> {}

    static class MonoOfResponse extends Refused<Mono<ServerResponse>> {}

    static class OfFuture extends Refused<Future<String>> {}

    static class OfDeferred extends Refused<DeferredResult<String>> {}

    static class OfTask extends Refused<WebAsyncTask<String>> {}

    static class OfEmitter extends Refused<ResponseBodyEmitter> {}

    static class OfEvents extends Refused<SseEmitter> {}

    static class OfSubclass extends Refused<ConnectableFlux<String>> {}
}
