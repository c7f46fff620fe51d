package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.testing.RedisServer;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Pausing over HTTP, with the endpoint opened for writing, behind Spring Security. */
@ExtendWith(OutputCaptureExtension.class)
class PauseHttpTest {

    private static final String PATH = "/actuator/locks";

    private static RedisServer server;
    private static OperatedApplication application;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        application = OperatedApplication.withSecurity(
                "spring.data.redis.port=" + server.port(),
                "management.endpoint.locks.access=unrestricted",
                "management.endpoint.health.show-components=always",
                "management.endpoint.health.show-details=always",
                "management.health.holdfast.timeout=20s",
                "holdfast.locks.order.pausable=true");
    }

    @AfterAll
    static void stop() {
        application.close();
        server.close();
    }

    @Test
    void operatorPausesAndResumes(CapturedOutput output) {
        HttpResponse<String> paused =
                application.postAsOperator(PATH, "{\"name\": \"order\", \"pauseFor\": \"1h\", \"reason\": \"INC-7\"}");
        assertThat(paused.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<String>read(paused.body(), "$.by")).isEqualTo("olga");
        assertThat(JsonPath.<String>read(paused.body(), "$.until")).startsWith("20");
        assertThatThrownBy(() -> application.jobs().order("1", "", () -> {})).isInstanceOf(LockPausedException.class);
        assertThat(shown("order")).allMatch(text -> text.startsWith("paused by 'olga' until 20"));
        assertThat(shown("order")).isNotEmpty().allMatch(text -> text.endsWith(" because: INC-7"));
        assertThat(shown("refund")).containsOnlyNulls();

        HttpResponse<String> health = application.get("/actuator/health/holdfast");
        assertThat(JsonPath.<String>read(health.body(), "$.status")).isEqualTo("UP");
        assertThat(JsonPath.<String>read(health.body(), "$.details.paused[0]"))
                .startsWith("order: paused by 'olga' until 20");

        HttpResponse<String> resumed = application.postAsOperator(PATH, "{\"name\": \"order\", \"pauseFor\": \"0s\"}");
        assertThat(resumed.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<Boolean>read(resumed.body(), "$.resumed")).isTrue();
        assertThatCode(() -> application.jobs().order("1", "", () -> {})).doesNotThrowAnyException();
        assertThat(shown("order")).containsOnlyNulls();
        assertThat(application.get("/actuator/health/holdfast").body()).doesNotContain("paused");
        assertThat(output.getAll().lines().filter(line -> line.contains("WARN") && line.contains("Lock 'order' is")))
                .hasSize(2)
                .allMatch(line -> line.contains("'olga'"));
    }

    private static List<String> shown(String name) {
        return JsonPath.read(application.getAsOperator(PATH).body(), "$.declared[?(@.name == '" + name + "')].paused");
    }

    @Test
    void strangerPausesNothing() {
        String json = "{\"name\": \"order\", \"pauseFor\": \"1h\", \"reason\": \"mine\"}";
        assertThat(application.post(PATH, json).statusCode()).isEqualTo(401);
        assertThat(shown("order")).containsOnlyNulls();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\": \"order\", \"pauseFor\": \"1h\"}",
                "{\"name\": \"order\", \"pauseFor\": \"60\", \"reason\": \"no unit\"}",
                "{\"name\": \"order\", \"pauseFor\": \"60d\", \"reason\": \"too long\"}",
                "{\"name\": \"order\", \"reason\": \"without an end\"}",
                "{\"name\": \"refund\", \"pauseFor\": \"1h\", \"reason\": \"not pausable\"}",
                "{\"name\": \"oder\", \"pauseFor\": \"1h\", \"reason\": \"misspelled\"}"
            })
    void pauseThatCannotBeMeantIsABadRequest(String json) {
        assertThat(application.postAsOperator(PATH, json).statusCode()).isEqualTo(400);
        assertThat(shown("order")).containsOnlyNulls();
    }

    @Test
    void pauseWithoutANameSaysThatItIsMissing() {
        HttpResponse<String> answer = application.postAsOperator(PATH, "{}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).isEqualTo("{\"error\":\"Missing: 'name'\"}");
    }
}
