package dev.holdfast.lock.spring.call;

import static dev.holdfast.lock.spring.fixture.StartUp.assertFine;
import static dev.holdfast.lock.spring.fixture.StartUp.assertRefused;

import dev.holdfast.lock.spring.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Mono;

/** Results whose work continues after the method has returned, and which no handling follows, fail startup. */
class DeferredResultsTest {

    @ParameterizedTest
    @ValueSource(
            classes = {
                Deferred.class,
                WebTask.class,
                Emitter.class,
                Events.class,
                StreamInResponse.class,
                MonoInResponse.class
            })
    void resultThatContinuesWithoutTheLockIsRefused(Class<?> bean) {
        assertRefused(
                bean,
                bean.getSimpleName() + ".run()",
                "the lock would be released before the work behind a",
                "Return a Comple");
    }

    @Test
    void responseThatIsThereWhenTheMethodReturnsIsFine() {
        assertFine(Response.class);
    }

    static class Deferred {

        @DistributedLock(name = "x")
        public DeferredResult<String> run() {
            throw new IllegalStateException();
        }
    }

    static class WebTask {

        @DistributedLock(name = "x")
        public WebAsyncTask<String> run() {
            throw new IllegalStateException();
        }
    }

    static class Emitter {

        @DistributedLock(name = "x")
        public ResponseBodyEmitter run() {
            throw new IllegalStateException();
        }
    }

    static class Events {

        @DistributedLock(name = "x")
        public SseEmitter run() {
            throw new IllegalStateException();
        }
    }

    static class StreamInResponse {

        @DistributedLock(name = "x")
        public ResponseEntity<StreamingResponseBody> run() {
            throw new IllegalStateException();
        }
    }

    static class MonoInResponse {

        @DistributedLock(name = "x")
        public ResponseEntity<Mono<String>> run() {
            throw new IllegalStateException();
        }
    }

    static class Response {

        @DistributedLock(name = "x")
        public ResponseEntity<String> run() {
            throw new IllegalStateException();
        }
    }
}
