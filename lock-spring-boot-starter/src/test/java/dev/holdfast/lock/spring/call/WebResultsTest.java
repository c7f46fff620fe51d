package dev.holdfast.lock.spring.call;

import static dev.holdfast.lock.spring.fixture.Locked.lock;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.request;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.spring.fixture.Locked;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Annotated controllers, behind Spring MVC's asynchronous requests and behind WebFlux. */
class WebResultsTest {

    private static Locked app;
    private static MockMvc mvc;
    private static WebTestClient flux;

    @BeforeAll
    static void start() {
        Hooks.enableAutomaticContextPropagation();
        app = Locked.application(Articles.class);
        mvc = MockMvcBuilders.standaloneSetup(app.bean(Articles.class)).build();
        flux = WebTestClient.bindToController(app.bean(Articles.class))
                .configureClient()
                .responseTimeout(Duration.ofSeconds(30))
                .build();
    }

    @AfterAll
    static void stop() {
        app.close();
        Hooks.disableAutomaticContextPropagation();
    }

    @Test
    void callableRunsUnderItsLock() throws Exception {
        var started = mvc.perform(get("/callable/a"))
                .andExpect(request().asyncStarted())
                .andReturn();
        mvc.perform(asyncDispatch(started)).andExpect(content().string("under article:a"));
        assertThat(app.isHeld("article:a")).isFalse();
    }

    @Test
    void monoRunsUnderItsLockAndItsBlockingCallReenters() {
        flux.get().uri("/mono/d").exchange().expectBody(String.class).isEqualTo("under article:d, and article:d");
        assertThat(app.isHeld("article:d")).isFalse();
    }

    @RestController
    static class Articles {

        @GetMapping("/callable/{id}")
        @DistributedLock(name = "article", key = "#id")
        public Callable<String> callable(@PathVariable("id") String id) {
            return () -> "under " + lock();
        }

        @GetMapping("/mono/{id}")
        @DistributedLock(name = "article", key = "#id")
        public Mono<String> mono(@PathVariable("id") String id) {
            return Mono.fromSupplier(() -> "under " + lock() + ", and "
                            + app.bean(Articles.class).blocking(id))
                    .subscribeOn(Schedulers.boundedElastic());
        }

        @DistributedLock(name = "article", key = "#id")
        public String blocking(String id) {
            return lock();
        }
    }
}
