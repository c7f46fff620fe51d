package dev.holdfast.lock.spring.boot.web;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.boot.web.LockProblemsAutoConfiguration.LockProblems;
import java.time.Duration;
import org.junit.jupiter.api.Test;
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

    @Test
    void busyLockIsAConflict() {
        client.get()
                .uri("/orders/busy")
                .exchange()
                .expectStatus()
                .isEqualTo(409)
                .expectHeader()
                .valueEquals("Retry-After", "1")
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON);
    }

    @Test
    void unavailableRedisIsServiceUnavailable() {
        client.get()
                .uri("/orders/unavailable")
                .exchange()
                .expectStatus()
                .isEqualTo(503)
                .expectHeader()
                .valueEquals("Retry-After", "5");
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
