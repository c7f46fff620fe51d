package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import io.lettuce.core.AclSetuserArgs;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The health of locks as a probe and an operator see it over HTTP. */
class HealthHttpTest {

    private static final Duration LIMIT = Await.PATIENCE;

    private final String name = "health-" + UUID.randomUUID();

    @Test
    void lossDegradesAndTakesNothingOutOfService() {
        try (OperatedApplication own = OperatedApplication.withoutSecurity(
                "management.health.holdfast.timeout=20s",
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.group.readiness.include=readinessState,holdfast",
                "management.endpoint.health.group.locks.include=holdfast")) {
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

            server.cli().aclSetuser("weak", AclSetuserArgs.Builder.allCommands());
            Await.until(
                    "locks work",
                    LIMIT,
                    () -> refused.get("/actuator/health/holdfast").statusCode() == 200);
            // What only weakens a promise is told, and no reason to be down.
            assertThat(refused.get("/actuator/health/holdfast").body())
                    .contains("\"status\":\"UP\"", "WARNING: maxmemory-policy is allkeys-lru");
        }
    }

    private static Map<String, Object> get(OperatedApplication asked, String path) {
        HttpResponse<String> answer = asked.get("/actuator/health" + path);
        return Map.of("http", answer.statusCode(), "status", JsonPath.<String>read(answer.body(), "$.status"));
    }
}
