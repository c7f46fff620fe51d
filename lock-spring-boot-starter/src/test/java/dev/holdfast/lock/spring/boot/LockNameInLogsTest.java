package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.DistributedLock;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** The lock's name in the log lines of the body that has it. */
class LockNameInLogsTest {

    private final String id = UUID.randomUUID().toString();
    private final ApplicationContextRunner plain = Contexts.on(RedisServer.shared())
            .withConfiguration(AutoConfigurations.of(LockInterceptorAutoConfiguration.class))
            .withBean(Bodies.class);
    private final ApplicationContextRunner application = plain.withPropertyValues("holdfast.mdc-key=lock");

    @AfterEach
    void clear() {
        MDC.clear();
    }

    @Test
    void bodyHasTheNameAndTheCallerDoesNot() {
        application.run(context -> {
            List<String> seen = new ArrayList<>();
            context.getBean(Bodies.class).order(id, () -> seen.add(MDC.get("lock")));
            assertThat(seen).containsExactly("order:" + id);
            assertThat(MDC.get("lock")).isNull();
        });
    }

    @Test
    void innerBodyHasItsOwnAndGivesTheOuterOneBack() {
        application.run(context -> {
            Bodies bodies = context.getBean(Bodies.class);
            List<String> seen = new ArrayList<>();
            MDC.put("lock", "the caller's");
            bodies.order(id, () -> {
                bodies.stock(() -> seen.add(MDC.get("lock")));
                seen.add(MDC.get("lock"));
            });
            assertThat(seen).containsExactly("stock", "order:" + id);
            assertThat(MDC.get("lock")).isEqualTo("the caller's");
        });
    }

    @Test
    void nameGoesAlongToOtherThreads() {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        application.run(context -> {
            ExecutorService carrying = ContextExecutorService.wrap(
                    pool, () -> ContextSnapshotFactory.builder().build().captureAll());
            assertThat(context.getBean(Bodies.class).later(carrying).get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("later");
            assertThat(pool.submit(() -> MDC.get("lock")).get()).isNull();
        });
        pool.shutdownNow();
    }

    @Test
    void nameIsInThePublishedBody() {
        application.run(context -> {
            assertThat(context.getBean(Bodies.class).flow().block()).isEqualTo("flow");
            assertThat(MDC.get("lock")).isNull();
        });
    }

    @Test
    void nothingIsThereUnlessAskedFor() {
        plain.run(context -> {
            List<Object> seen = new ArrayList<>();
            context.getBean(Bodies.class).order(id, () -> seen.add(String.valueOf(MDC.getCopyOfContextMap())));
            assertThat(seen.toString()).doesNotContain("order");
        });
    }

    @Test
    void blankKeyIsRefused() {
        plain.withPropertyValues("holdfast.mdc-key= ")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("holdfast.mdc-key")
                        .hasMessageContaining("must not be blank"));
    }

    static class Bodies {

        @DistributedLock(name = "order", key = "#id")
        public void order(String id, Runnable body) {
            body.run();
        }

        @DistributedLock(name = "stock")
        public void stock(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "later")
        public CompletableFuture<String> later(Executor executor) {
            return CompletableFuture.supplyAsync(() -> MDC.get("lock"), executor);
        }

        @DistributedLock(name = "flow")
        public Mono<String> flow() {
            return Mono.just("").handle((nothing, sink) -> sink.next(String.valueOf(MDC.get("lock"))));
        }
    }
}
