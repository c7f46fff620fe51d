package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLoss;
import dev.holdfast.lock.LossCause;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The endpoint over HTTP, opened for writing, behind the filter chain that docs/endpoints.md shows. */
@ExtendWith(OutputCaptureExtension.class)
class ForceReleaseHttpTest {

    private static OperatedApplication application;

    private final String name = "stuck/" + UUID.randomUUID() + ":7";

    @BeforeAll
    static void start() {
        application = OperatedApplication.withSecurity(
                "management.endpoint.locks.access=unrestricted", "holdfast.locks.order.pausable=true");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void strangerGetsNothing() {
        try (Lease lease = application.locks().getLock(name).acquire()) {
            assertThat(application.get("/actuator/locks").statusCode()).isEqualTo(401);
            assertThat(application.get(OperatedApplication.lock(name)).statusCode())
                    .isEqualTo(401);
            assertThat(application.delete(OperatedApplication.lock(name)).statusCode())
                    .isEqualTo(401);
            assertThat(RedisServer.shared().cli().exists(name)).isEqualTo(1);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void operatorFreesALockAndItsHolderIsTold() throws Exception {
        Lease lease = application.locks().getLock(name).acquire();
        CompletableFuture<LeaseLoss> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        HttpResponse<String> answer = application.deleteAsOperator(OperatedApplication.lock(name));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<Boolean>read(answer.body(), "$.released")).isTrue();
        assertThat(RedisServer.shared().cli().exists(name)).isZero();
        // Otherwise the holder learns of it at its next renewal.
        assertThat(lease.verify()).isFalse();
        assertThat(told.get(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS).cause())
                .isEqualTo(LossCause.GONE);
    }

    @Test
    void forceReleaseIsAuditedWithTheCallersNameThoughAListenerThrows(CapturedOutput output) {
        Lease lease = application.locks().getLock(name).acquire();
        assertThat(application.deleteAsOperator(OperatedApplication.lock(name)).statusCode())
                .isEqualTo(200);
        assertThat(application.releases())
                .filteredOn(event -> event.lockName().equals(name))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.by()).isEqualTo("olga");
                    assertThat(event.before()).isNotNull();
                    assertThat(event.before().holder().fencingToken()).hasValue(lease.fencingToken());
                });
        assertThat(output.toString().lines().filter(line -> line.contains("released by force") && line.contains(name)))
                .singleElement()
                .asString()
                .contains("WARN", "'olga'", "held by");
    }

    @Test
    void hashOfAnotherProgramIsNotReleased(CapturedOutput output) {
        RedisServer.shared().cli().hset(name, "item:4711", "1");
        assertThat(application.deleteAsOperator(OperatedApplication.lock(name)).statusCode())
                .isEqualTo(503);
        assertThat(RedisServer.shared().cli().hlen(name)).isEqualTo(1);
        assertThat(output.toString().lines().filter(line -> line.contains("refused to release") && line.contains(name)))
                .singleElement()
                .asString()
                .contains("WARN", "'olga'", "not a lock");
        RedisServer.shared().cli().del(name);
    }

    @Test
    void freeLockIsNotReleased() {
        HttpResponse<String> answer = application.deleteAsOperator(OperatedApplication.lock(name));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<Boolean>read(answer.body(), "$.released")).isFalse();
        assertThat(application.releases()).noneMatch(event -> event.lockName().equals(name));
    }

    @Test
    void whoMayReleaseLocksMayNotPauseJobs() {
        String order = "/actuator/jobs/order";
        String pause = "{\"action\": \"pause\", \"duration\": \"1h\", \"reason\": \"INC-7\"}";
        assertThat(application.postAsOperator(order, pause).statusCode()).isEqualTo(405);
        assertThat(application
                        .postAsOperator("/actuator/locks", "{\"name\": \"order\", \"pauseFor\": \"1h\"}")
                        .statusCode())
                .isEqualTo(405);
        assertThat(JsonPath.<Object>read(application.getAsOperator(order).body(), "$.pause"))
                .isNull();
    }
}
