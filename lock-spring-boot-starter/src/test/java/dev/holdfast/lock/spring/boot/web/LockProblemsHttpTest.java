package dev.holdfast.lock.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.boot.web.LockProblemsAutoConfiguration.LockProblems;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.WebApplicationContext;

/** What a web client receives when a lock is busy or Redis is unavailable. */
class LockProblemsHttpTest {

    private final WebApplicationContextRunner web = new WebApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(WebMvcAutoConfiguration.class, LockProblemsAutoConfiguration.class))
            .withUserConfiguration(Orders.class);

    private static MvcTestResult get(ApplicationContext context, String order) {
        return MockMvcTester.from((WebApplicationContext) context)
                .get()
                .uri("/orders/" + order)
                .exchange();
    }

    @ParameterizedTest
    @CsvSource({"busy, 409, 1, Conflict", "later, 409, 1, Conflict", "unavailable, 503, 5, Service Unavailable"})
    void busyLockIsAConflictAndUnavailableRedisIsServiceUnavailable(
            String order, int status, String retryAfter, String title) {
        web.run(context -> assertThat(get(context, order))
                .hasStatus(status)
                .hasHeader("Retry-After", retryAfter)
                .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                .bodyText()
                .contains("\"title\":\"" + title + "\"", "\"status\":" + status)
                .doesNotContain("secret"));
    }

    @Test
    void handlerOfTheApplicationWins() {
        web.withUserConfiguration(OwnHandler.class).run(context -> {
            assertThat(get(context, "busy")).hasStatus(423);
            assertThat(get(context, "unavailable")).hasStatus(503);
        });
    }

    @ParameterizedTest
    @CsvSource({"on, 1", "off, 0"})
    void switchDecidesWhetherThereAreAnswers(String value, int beans) {
        web.withPropertyValues(LockProblemsAutoConfiguration.SWITCH + "=" + value)
                .run(context ->
                        assertThat(context.getBeansOfType(LockProblems.class)).hasSize(beans));
    }

    /** Some of Spring's own beans hide their class. They are no reason to only warn. */
    @Test
    void misspelledLockNameFailsTheStartupOfAWebApplication() {
        assertThatThrownBy(() -> new SpringApplicationBuilder(Shop.class)
                        .properties(
                                "server.port=0",
                                "spring.main.banner-mode=off",
                                "spring.jmx.enabled=false",
                                "holdfast.locks.raport.bypass=true")
                        .run())
                .hasStackTraceContaining("holdfast.locks.raport");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {}

    @RestController
    static class Orders {

        @GetMapping("/orders/{what}")
        CompletableFuture<String> order(@PathVariable String what) {
            return switch (what) {
                case "busy" -> throw new LockNotAcquiredException("secret", Duration.ZERO, "secret", null);
                case "unavailable" -> throw new LockUnavailableException("secret", "secret", null);
                default ->
                    CompletableFuture.failedFuture(
                            new LockNotAcquiredException("secret", Duration.ZERO, "secret", null));
            };
        }
    }

    @RestControllerAdvice
    static class OwnHandler {

        @ExceptionHandler
        ResponseEntity<String> busy(LockNotAcquiredException busy) {
            return ResponseEntity.status(423).body("locked");
        }
    }
}
