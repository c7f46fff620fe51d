package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The health of locks as a probe and an operator see it over HTTP. */
class HealthHttpTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private static OperatedApplication application;

    private final String name = "health-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        application = start("1s");
    }

    private static OperatedApplication start(String lossWindow) {
        return OperatedApplication.withoutSecurity(
                "management.health.holdfast.timeout=20s",
                "management.health.holdfast.loss-window=" + lossWindow,
                // Neither lost nor renewed late, however long a test stands still.
                "holdfast.watchdog-timeout=1h",
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.probes.enabled=true",
                "management.endpoint.health.group.readiness.include=readinessState,holdfast",
                "management.endpoint.health.group.locks.include=holdfast");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void tellsServerRoundTripHeldWaitingAndRenewalLag() throws Exception {
        awaitStatus("UP");
        LockClient locks = application.locks();
        Lease lease = locks.getLock(name).acquire();
        CompletionStage<Lease> waiter = locks.getLock(name).acquireAsync(AcquireOptions.defaults());
        Await.until("one waits", LIMIT, () -> locks.statistics().waiting() == 1);

        HttpResponse<String> answer = application.get("/actuator/health/holdfast");
        assertThat(answer.statusCode()).isEqualTo(200);
        Map<String, Object> details = JsonPath.read(answer.body(), "$.details");
        assertThat(details)
                .containsEntry("version", RedisServer.shared().info("server").get("redis_version"))
                .containsEntry("topology", "standalone")
                .containsEntry("held", 1)
                .containsEntry("waiting", 1)
                .containsEntry("renewalLag", "PT0S");
        assertThat(Duration.parse((String) details.get("roundTrip"))).isPositive();

        lease.close();
        waiter.toCompletableFuture()
                .get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .close();
    }

    @Test
    void lossIsForgottenAfterItsWindow() {
        Lease lease = application.locks().getLock(name).acquire();
        application.locks().forceRelease(name);
        assertThat(lease.verify()).isFalse();
        awaitStatus("UP");
    }

    @Test
    void lossDegradesAndTakesNothingOutOfService() {
        try (OperatedApplication own = start("1h")) {
            Lease lease = own.locks().getLock(name).acquire();
            own.locks().forceRelease(name);
            assertThat(lease.verify()).isFalse();
            Await.until("health is DEGRADED", LIMIT, () -> get(own, "/holdfast").containsValue("DEGRADED"));

            HttpResponse<String> answer = own.get("/actuator/health/holdfast");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(JsonPath.<String>read(answer.body(), "$.details.lastLost"))
                    .startsWith(name + ": ");
            for (String whole : List.of("", "/readiness")) {
                assertThat(get(own, whole)).containsEntry("http", 200).containsEntry("status", "UP");
            }
            // Nothing that Boot knows is left of a group of this one alone.
            assertThat(get(own, "/locks")).containsEntry("http", 200).containsEntry("status", "UNKNOWN");
            assertThat(get(own, "/readiness/holdfast"))
                    .containsEntry("http", 200)
                    .containsEntry("status", "DEGRADED");
        }
    }

    @Test
    void livenessKnowsNothingOfLocks() {
        assertThat(get("/liveness")).containsEntry("http", 200);
        assertThat(application.get("/actuator/health/liveness").body()).doesNotContain("holdfast");
        assertThat(application.get("/actuator/health/liveness/holdfast").statusCode())
                .isEqualTo(404);
    }

    @Test
    void degradedShowsInTheWholeAsTheManualSays() throws Exception {
        try (OperatedApplication told = OperatedApplication.withoutSecurity(
                "management.health.holdfast.timeout=20s",
                "management.health.redis.enabled=false",
                "management.endpoint.health.show-components=always",
                "management.endpoint.health.status.order=down,out-of-service,degraded,unknown,up")) {
            Lease lease = told.locks().getLock(name).acquire();
            told.locks().forceRelease(name);
            assertThat(lease.verify()).isFalse();
            Await.until(
                    "the loss shows in the whole",
                    LIMIT,
                    () -> told.get("/actuator/health").body().contains("\"status\":\"DEGRADED\""));
            assertThat(told.get("/actuator/health").statusCode()).isEqualTo(200);
            // Details are nobody's business unless the application says so.
            assertThat(told.get("/actuator/health/holdfast").body())
                    .contains("DEGRADED")
                    .doesNotContain("version", "held", name);
        }
    }

    @Test
    void isDownWhereTheSelfCheckFindsThatLocksCannotWorkAndUpAgainOnceThatIsRepaired() {
        try (RedisServer server = RedisServer.start(
                        "user weak on nopass +@all -eval -evalsha ~* &*", "maxmemory-policy allkeys-lru");
                OperatedApplication refused = OperatedApplication.withoutSecurity(
                        "management.health.holdfast.timeout=20s",
                        "spring.data.redis.port=" + server.port(),
                        "spring.data.redis.username=weak",
                        "spring.data.redis.password=any",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.health.group.readiness.include=readinessState,holdfast")) {
            HttpResponse<String> answer = refused.get("/actuator/health/holdfast");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(JsonPath.<String>read(answer.body(), "$.status")).isEqualTo("DOWN");
            assertThat(answer.body()).contains("NOPERM", "docs/acl.conf");
            assertThat(refused.get("/actuator/health/readiness").statusCode()).isEqualTo(503);

            server.cli()
                    .dispatch(
                            CommandType.ACL,
                            new StatusOutput<>(StringCodec.UTF8),
                            new CommandArgs<>(StringCodec.UTF8)
                                    .add("SETUSER")
                                    .add("weak")
                                    .add("+@all"));
            Await.until(
                    "locks work",
                    LIMIT,
                    () -> refused.get("/actuator/health/holdfast").statusCode() == 200);
            // What only weakens a promise is told, and no reason to be down.
            assertThat(refused.get("/actuator/health/holdfast").body())
                    .contains("\"status\":\"UP\"", "WARNING: maxmemory-policy is allkeys-lru");
        }
    }

    private static void awaitStatus(String status) {
        Await.until("health is " + status, LIMIT, () -> get("/holdfast").containsValue(status));
    }

    private static Map<String, Object> get(String path) {
        return get(application, path);
    }

    private static Map<String, Object> get(OperatedApplication asked, String path) {
        HttpResponse<String> answer = asked.get("/actuator/health" + path);
        return Map.of("http", answer.statusCode(), "status", JsonPath.<String>read(answer.body(), "$.status"));
    }
}
