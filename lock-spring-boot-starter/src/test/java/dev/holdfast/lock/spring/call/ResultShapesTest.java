package dev.holdfast.lock.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.InvalidLockDeclarationException;
import dev.holdfast.lock.spring.call.ResultShapes.Declared;
import dev.holdfast.lock.spring.call.ResultShapes.Refused;
import dev.holdfast.lock.spring.call.ResultShapes.Shape;
import dev.holdfast.lock.spring.declaration.LockOperationParser;
import dev.holdfast.lock.spring.declaration.LockSettings;
import dev.holdfast.lock.spring.fixture.Locked;
import dev.holdfast.lock.spring.fixture.StartUp;
import dev.holdfast.lock.testing.Await;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.domain.Page;
import org.springframework.http.ResponseEntity;
import reactor.core.publisher.Flux;

/** The work behind every shape of a result is refused, held to its end, or fails: none runs without its lock. */
@ExtendWith(OutputCaptureExtension.class)
class ResultShapesTest {

    private static final Duration LIMIT = Await.PATIENCE;

    @AutoClose
    private static Locked app;

    private static Declared declared;

    @BeforeAll
    static void start() {
        app = Locked.application(Declared.class);
        declared = app.bean(Declared.class);
    }

    private static volatile CountDownLatch returned = new CountDownLatch(0);
    private static final List<Boolean> HELD_DURING_WORK = new CopyOnWriteArrayList<>();

    /** Work that has begun continues when its method has returned. */
    private static String work() {
        try {
            assertThat(returned.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        HELD_DURING_WORK.add(app.isHeld("shape"));
        return "done";
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.spring.call.ResultShapes#held")
    void lockIsHeldToTheEndOfTheWork(Shape shape) throws Exception {
        HELD_DURING_WORK.clear();
        returned = new CountDownLatch(1);

        Object result = shape.call().apply(declared, ResultShapesTest::work);
        returned.countDown();
        finish(result);

        assertThat(HELD_DURING_WORK).containsExactly(true);
        assertThat(app.isHeld("shape")).isFalse();
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.spring.call.ResultShapes#hidden")
    void workThatTheDeclaredTypeHidesFailsTheCall(Shape shape) {
        HELD_DURING_WORK.clear();

        assertThatThrownBy(() -> finish(shape.call().apply(declared, ResultShapesTest::work)))
                .extracting(NestedExceptionUtils::getMostSpecificCause)
                .isInstanceOf(InvalidLockDeclarationException.class)
                .asString()
                .contains("released before", "Declare the type that the method returns");

        assertThat(HELD_DURING_WORK).isEmpty();
        assertThat(app.isHeld("shape")).isFalse();
    }

    static Stream<Class<?>> refused() {
        return Stream.of(Refused.class.getPermittedSubclasses());
    }

    /** As the check at startup reads each method of each bean. */
    @ParameterizedTest
    @MethodSource("refused")
    void typeThatShowsItsWorkIsRefused(Class<?> type) throws Exception {
        LockInterceptor source = new LockInterceptor(
                new LockOperationParser(text -> text, new LockSettings.Source() {}, new DefaultListableBeanFactory()),
                List.of(),
                () -> null);
        Method method = type.getMethod("run");
        assertThatThrownBy(() -> source.find(method, type))
                .isInstanceOf(InvalidLockDeclarationException.class)
                .hasMessageContainingAll("released before the work behind a", "Return a CompletionStage, a Callable");
    }

    /** Does with a result what callers and Spring do with it. */
    private static @Nullable Object finish(@Nullable Object result) throws Exception {
        if (result instanceof Callable<?> callable) {
            return callable.call();
        }
        if (result instanceof Publisher<?> publisher) {
            return Flux.from(publisher).collectList().block(LIMIT);
        }
        return result instanceof CompletionStage<?> stage
                ? stage.toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS)
                : result;
    }

    @ParameterizedTest
    @ValueSource(classes = {OwnFuture.class, Export.class, ListOfExports.class})
    void typeThatMayBeWorkIsAWarningAtStartup(Class<?> bean, CapturedOutput output) {
        StartUp.assertFine(bean);
        assertThat(output)
                .contains(bean.getName() + ".run() returns a ", "which has to be closed or has a field that is work");
    }

    static class OwnFuture {
        @DistributedLock(name = "own")
        public Promise run() {
            return new Promise();
        }
    }

    static class Promise {
        private static final Runnable NOTHING = () -> {};
        private final List<Runnable> callbacks = List.of(NOTHING);

        @Override
        public String toString() {
            return callbacks.toString();
        }
    }

    static class Export {
        @DistributedLock(name = "export")
        public InputStream run() {
            return InputStream.nullInputStream();
        }
    }

    static class ListOfExports {
        @DistributedLock(name = "export")
        public List<InputStream> run() {
            return List.of();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfPage.class, OfData.class, OfStream.class, OfEntity.class})
    void dataIsNeitherRefusedNorWarnedOf(Class<?> bean, CapturedOutput output) {
        StartUp.assertFine(bean);
        assertThat(output).doesNotContain(bean.getName());
    }

    /** Spring Data's pages are suppliers of streams. */
    static class OfPage {
        @DistributedLock(name = "page")
        public Page<String> run() {
            return Page.empty();
        }
    }

    static class OfStream {
        @DistributedLock(name = "stream")
        public Stream<String> run() {
            return Stream.empty();
        }
    }

    static class OfEntity {
        @DistributedLock(name = "entity")
        public ResponseEntity<String> run() {
            return ResponseEntity.ok("done");
        }
    }

    record Data(
            String name,
            Instant at,
            List<Data> parts,
            Map<String, int[]> more,
            @Nullable Data parent) {}

    static class OfData {
        @DistributedLock(name = "data")
        public Optional<Data> run() {
            return Optional.empty();
        }
    }

    @Test
    void pageBehindAnObjectIsAValue() {
        assertThat(declared.object(Page::empty)).isEqualTo(Page.empty());
    }
}
