package dev.holdfast.lock.spring.boot.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.LockNotAcquiredException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spring.boot.web.LockProblemsAutoConfiguration.LockProblems;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What a web client receives when a lock is busy or Redis is unavailable. */
class LockProblemsHttpTest {

    private static ConfigurableApplicationContext shop;

    private final WebApplicationContextRunner web = new WebApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(WebMvcAutoConfiguration.class, LockProblemsAutoConfiguration.class))
            .withUserConfiguration(Orders.class);

    @BeforeAll
    static void open() {
        shop = shop();
    }

    @AfterAll
    static void close() {
        shop.close();
    }

    @Test
    void busyLockIsAConflict() throws Exception {
        HttpResponse<String> answer = get(shop, "busy");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(JsonPath.<String>read(answer.body(), "$.title")).isEqualTo("Conflict");
        assertThat(answer.body()).doesNotContain("secret");
    }

    @Test
    void unavailableRedisIsServiceUnavailable() throws Exception {
        HttpResponse<String> answer = get(shop, "unavailable");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("5");
        assertThat(JsonPath.<Integer>read(answer.body(), "$.status")).isEqualTo(503);
        assertThat(answer.body()).doesNotContain("secret");
    }

    @Test
    void failedStageIsTheSameProblem() throws Exception {
        assertThat(get(shop, "later").statusCode()).isEqualTo(409);
    }

    @Test
    void handlerOfTheApplicationWins() {
        web.withUserConfiguration(OwnHandler.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            assertThat(mvc.get().uri("/orders/busy")).hasStatus(423);
            assertThat(mvc.get().uri("/orders/unavailable")).hasStatus(503);
        });
    }

    @Test
    void handlerOfTheApplicationForEveryExceptionWins() {
        web.withUserConfiguration(HandlerOfAll.class)
                .run(context -> assertThat(MockMvcTester.from(context).get().uri("/orders/busy"))
                        .hasStatus(418));
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "on", "yes", "1"})
    void switchIsReadAsSpringBootReadsABoolean(String on) {
        web.withPropertyValues(LockProblemsAutoConfiguration.SWITCH + "=" + on)
                .run(context -> assertThat(context).hasSingleBean(LockProblems.class));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "off", "no", "0"})
    void switchedOffThereAreNoAnswers(String off) {
        web.withPropertyValues(LockProblemsAutoConfiguration.SWITCH + "=" + off)
                .run(context -> assertThat(context).doesNotHaveBean(LockProblems.class));
    }

    @Test
    void typingErrorInTheSwitchFailsStartup() {
        web.withPropertyValues(LockProblemsAutoConfiguration.SWITCH + "=flase")
                .run(context -> assertThat(context).hasFailed());
    }

    /** Some of Spring's own beans hide their class. They are no reason to only warn. */
    @Test
    void misspelledLockNameFailsTheStartupOfAWebApplication() {
        assertThatThrownBy(() -> shop("holdfast.locks.raport.bypass=true"))
                .hasStackTraceContaining("holdfast.locks.raport");
    }

    private static ConfigurableApplicationContext shop(String... properties) {
        ClassLoader withoutSecurity =
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security");
        return new SpringApplicationBuilder(Shop.class, Orders.class)
                .resourceLoader(new DefaultResourceLoader(withoutSecurity))
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false",
                        "spring.data.redis.port=" + RedisServer.shared().port())
                .properties(properties)
                .run();
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext application, String path)
            throws IOException, InterruptedException {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders/" + path))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
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

    @RestControllerAdvice
    static class HandlerOfAll {

        @ExceptionHandler
        ResponseEntity<String> any(Exception failure) {
            return ResponseEntity.status(418).body("own");
        }
    }
}
