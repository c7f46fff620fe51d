package dev.holdfast.lock.spring.boot.web;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.boot.web.LockProblemsAutoConfiguration.LockProblems;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The same answers in WebFlux. */
class LockProblemsWebFluxTest {

    private final WebTestClient client = WebTestClient.bindToController(new Orders())
            .controllerAdvice(new LockProblems())
            .build();

    @ParameterizedTest
    @CsvSource({"busy, 409, 1", "unavailable, 503, 5"})
    void answersAreThoseOfWebMvc(String order, int status, String retryAfter) {
        client.get()
                .uri("/orders/" + order)
                .exchange()
                .expectStatus()
                .isEqualTo(status)
                .expectHeader()
                .valueEquals("Retry-After", retryAfter)
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON);
    }

    @RestController
    static class Orders {

        @GetMapping("/orders/{what}")
        Mono<String> order(@PathVariable String what) {
            return Mono.error(
                    what.equals("busy")
                            ? new LockNotAcquiredException("order", Duration.ZERO, null, null)
                            : new LockUnavailableException("order", "down", null));
        }
    }
}
