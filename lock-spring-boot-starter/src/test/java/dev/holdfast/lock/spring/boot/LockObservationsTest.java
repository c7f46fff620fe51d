package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spring.boot.actuate.LockMeterAutoConfiguration;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.opentelemetry.api.common.AttributeKey;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.observation.LettuceObservationAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;

/** What a trace shows of an annotated call's locks, with OpenTelemetry behind Micrometer. */
class LockObservationsTest {

    private final String id = UUID.randomUUID().toString();
    private final FinishedSpans spans = new FinishedSpans();
    private final ApplicationContextRunner application = Contexts.on(RedisServer.shared())
            .withConfiguration(AutoConfigurations.of(
                    LockInterceptorAutoConfiguration.class,
                    LockMeterAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    ObservationAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withBean(DefaultTracingObservationHandler.class, spans::handler)
            .withBean(ObservedCalls.class);

    private static Observation request(ApplicationContext context) {
        return Observation.start("request", context.getBean(ObservationRegistry.class));
    }

    private void isPartOf(String span, String parent) {
        assertThat(spans.named(span).getParentSpanId())
                .as("the parent of '%s'", span)
                .isEqualTo(spans.named(parent).getSpanId());
    }

    private @Nullable String attribute(String span, String name) {
        return spans.named(span).getAttributes().get(AttributeKey.stringKey(name));
    }

    @Test
    void requestHasTheWaitAndTheHoldAndTheBodyIsInTheHold() {
        application.run(context -> {
            Observation request = request(context);
            request.observe(() -> context.getBean(ObservedCalls.class).pay(id, () -> "paid"));

            assertThat(spans.names()).containsExactly("acquire order", "work", "hold order", "request");
            isPartOf("acquire order", "request");
            isPartOf("hold order", "request");
            isPartOf("work", "hold order");
            assertThat(spans.named("acquire order").getEndEpochNanos())
                    .isLessThanOrEqualTo(spans.named("work").getStartEpochNanos());
        });
    }

    @Test
    void spansSayWhichLockItIs() {
        application.run(context -> {
            context.getBean(ObservedCalls.class).pay(id, () -> "paid");

            assertThat(attribute("acquire order", "name")).isEqualTo("order");
            assertThat(attribute("acquire order", "key")).isEqualTo(id);
            assertThat(attribute("acquire order", "kind")).isEqualTo("reentrant");
            assertThat(attribute("acquire order", "outcome")).isEqualTo("acquired");
            assertThat(attribute("hold order", "key")).isEqualTo(id);
            assertThat(attribute("hold order", "token")).matches("[0-9]+");
        });
    }

    @Test
    void callersObservationIsBackAfterTheCall() {
        application.run(context -> {
            ObservationRegistry registry = context.getBean(ObservationRegistry.class);
            Observation request = request(context);
            request.observe(() -> {
                assertThatThrownBy(() -> context.getBean(ObservedCalls.class).pay(id, () -> {
                            throw new IllegalArgumentException("the body's own");
                        }))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThat(registry.getCurrentObservation()).isSameAs(request);
            });
            assertThat(registry.getCurrentObservation()).isNull();
        });
    }

    /** Lettuce does not trace a command that cannot say when it ends. */
    @Test
    void commandsAreTracedIfTheApplicationTracesItsOwn() {
        application
                .withConfiguration(AutoConfigurations.of(LettuceObservationAutoConfiguration.class))
                .run(context -> {
                    context.getBean(ObservedCalls.class).pay(id, () -> "paid");
                    assertThat(spans.names()).contains("evalsha", "hold order");
                });
    }

    @Test
    void bodyUnderTwoLocksIsInTheInnerHold() {
        application.run(context -> {
            context.getBean(ObservedCalls.class).both(() -> "done");
            isPartOf("work", "hold stock");
            assertThat(spans.names())
                    .containsExactly("acquire audit", "acquire stock", "work", "hold stock", "hold audit");
        });
    }

    @Test
    void laterWorkOnAnotherThreadIsInTheHoldWhichEndsAfterIt() {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        application.run(context -> {
            ExecutorService traced = ContextExecutorService.wrap(
                    pool, () -> ContextSnapshotFactory.builder().build().captureAll());
            CountDownLatch finish = new CountDownLatch(1);
            Observation request = request(context);
            CompletableFuture<String> later =
                    request.observe(() -> context.getBean(ObservedCalls.class).later(id, traced, finish));

            assertThat(spans.names()).containsExactly("acquire later", "request");
            finish.countDown();
            assertThat(later.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("done");
            isPartOf("work", "hold later");
            isPartOf("hold later", "request");
            assertThat(spans.names()).endsWith("work", "hold later");
        });
        pool.shutdownNow();
    }

    @Test
    void publishedWorkIsInTheHoldAndThatInTheSubscribersRequest() {
        application.run(context -> {
            ObservedCalls calls = context.getBean(ObservedCalls.class);
            for (Flux<String> published : List.of(calls.flow(id).flux(), calls.flows(id))) {
                Observation request = request(context);
                assertThat(published
                                .contextWrite(carried -> carried.put(ObservationThreadLocalAccessor.KEY, request))
                                .collectList()
                                .block())
                        .containsExactly(id);
                request.stop();

                assertThat(spans.names()).containsExactly("acquire flow", "work", "hold flow", "request");
                isPartOf("acquire flow", "request");
                isPartOf("hold flow", "request");
                isPartOf("work", "hold flow");
                spans.forget();
            }
        });
    }

    @Test
    void observationsBringTheTimersWithoutTheKey() {
        application.run(context -> {
            context.getBean(ObservedCalls.class).pay(id, () -> "paid");
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("holdfast.lock.acquire")
                            .tags("name", "order", "kind", "reentrant", "outcome", "acquired")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.get("holdfast.lock.hold")
                            .tags("name", "order", "kind", "reentrant")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.getMeters())
                    .allSatisfy(meter -> assertThat(meter.getId().getTags().toString())
                            .doesNotContain(id)
                            .doesNotContain("token"));
        });
    }

    @Test
    void switchedOffByTheUsualPropertyNothingIsObserved() {
        application
                .withPropertyValues("management.observations.enable.holdfast.lock=false")
                .run(context -> {
                    assertThat(context.getBean(ObservedCalls.class).pay(id, () -> "paid"))
                            .isEqualTo("paid");
                    assertThat(spans.names()).containsExactly("work");
                });
    }
}
