package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.internal.connection.Script;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.proxy.FaultProxy;
import dev.holdfast.lock.proxy.FaultProxy.Then;
import dev.holdfast.lock.spring.LockClientCustomizer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Nightly;
import dev.holdfast.lock.testing.RedisServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;

/** What the operator is answered over HTTP while Redis is down, and while it only hangs. */
@ExtendWith(OutputCaptureExtension.class)
class OutageHttpTest {

    /** A holder of Redisson's. */
    private static final String SOMEBODY = "6f2c1d1e-4b7a-4c39-9f53-3c1b9a2f7a10:1";

    /** How long the lock client waits for an answer here. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);
    /** What an answer may take on a busy machine; far below any time limit of Lettuce's own. */
    private static final Duration IN_TIME = Duration.ofSeconds(8);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static FaultProxy proxy;
    private static OperatedApplication application;

    private final String name = "outage/" + UUID.randomUUID();

    enum Outage {
        REFUSES(proxy -> {
            proxy.refuseConnections();
            proxy.resetConnections();
        }),
        HANGS(FaultProxy::blackHole);

        private final Consumer<FaultProxy> begin;

        Outage(Consumer<FaultProxy> begin) {
            this.begin = begin;
        }
    }

    @BeforeAll
    static void start() {
        proxy = FaultProxy.to(RedisServer.shared().port());
        application = OperatedApplication.of(
                List.of(Impatient.class),
                "spring.data.redis.port=" + proxy.port(),
                "holdfast.watchdog-timeout=5m",
                "management.endpoint.locks.access=unrestricted",
                "management.endpoint.jobs.access=unrestricted",
                "holdfast.locks.order.pausable=true");
    }

    @AfterAll
    static void stop() {
        application.close();
        proxy.close();
    }

    @AfterEach
    void heal() {
        proxy.heal();
        Await.until(
                "Redis answers again",
                LIMIT,
                () -> application.get(OperatedApplication.lock(name)).statusCode() == 200);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsHeldHereIsListedWithoutRedis(Outage outage) {
        Lease lease = application.locks().getLock(name).acquire();
        outage.begin.accept(proxy);
        HttpResponse<String> answer = inTime(() -> application.get("/actuator/locks"));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<List<String>>read(answer.body(), "$.held[?(@.name == '" + name + "')].fencingToken"))
                .singleElement()
                .isEqualTo(Long.toString(lease.fencingToken()));
        assertThat(lease.isHeld()).isTrue();
        lease.releaseAsync();
    }

    @Test
    void pauseIsUnavailable(CapturedOutput output) {
        Outage.REFUSES.begin.accept(proxy);
        String json = "{\"action\": \"pause\", \"duration\": \"1h\", \"reason\": \"r\"}";
        assertThat(inTime(() -> application.post("/actuator/jobs/order", json)).statusCode())
                .isEqualTo(503);
        assertThat(output.toString()
                        .lines()
                        .filter(line -> line.contains("An unknown caller wanted to pause lock 'order'")))
                .hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void jobsThatCannotBeLookedAtAreUnavailable(Outage outage) {
        outage.begin.accept(proxy);
        HttpResponse<String> answer = inTime(() -> application.get("/actuator/jobs"));
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(JsonPath.<String>read(answer.body(), "$.error")).contains("is unavailable");
    }

    @ParameterizedTest
    @EnumSource
    void lockThatCannotBeLookedAtIsUnavailable(Outage outage) {
        outage.begin.accept(proxy);
        saysThatRedisDidNotAnswer(inTime(() -> application.get(OperatedApplication.lock(name))));
    }

    @ParameterizedTest
    @EnumSource
    void lockThatCannotBeFreedIsUnavailableAndStaysTaken(Outage outage) {
        RedisServer.shared().cli().hset(name, SOMEBODY, "1");
        outage.begin.accept(proxy);
        saysThatRedisDidNotAnswer(inTime(() -> application.delete(OperatedApplication.lock(name))));
        assertThat(RedisServer.shared().cli().del(name)).isEqualTo(1);
        assertThat(application.releases()).noneMatch(event -> event.lockName().equals(name));
    }

    @Test
    void forcedReleaseWithoutAnAnswerIsAuditedAsOneWhoseOutcomeNobodyKnows(CapturedOutput output) {
        // From here on Redis knows the script, so the answer that is lost is that of its execution.
        application.delete(OperatedApplication.lock(name));
        RedisServer.shared().cli().hset(name, SOMEBODY, "1");
        String force = Script.load(LockProtocol.class, "force").sha();
        proxy.swallowReplyOf(request -> request.words().contains(force), Then.STAY_SILENT);
        saysThatRedisDidNotAnswer(inTime(() -> application.delete(OperatedApplication.lock(name))));
        assertThat(RedisServer.shared().cli().exists(name)).isZero();
        assertThat(output.toString().lines().filter(line -> line.contains("might be free now") && line.contains(name)))
                .singleElement()
                .asString()
                .contains("WARN", "an unauthenticated caller", "was held by '" + SOMEBODY + "'");
    }

    private void saysThatRedisDidNotAnswer(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(JsonPath.<String>read(answer.body(), "$.error"))
                .contains("'" + name + "' is unavailable")
                .containsAnyOf("no answer", "no connection", "not sent");
    }

    private static HttpResponse<String> inTime(Supplier<HttpResponse<String>> question) {
        long start = System.nanoTime();
        HttpResponse<String> answer = question.get();
        if (Nightly.Night.isOn()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(IN_TIME);
        }
        return answer;
    }

    static class Impatient {

        @Bean
        LockClientCustomizer impatient() {
            return builder -> builder.commandTimeout(COMMAND_TIMEOUT);
        }
    }
}
