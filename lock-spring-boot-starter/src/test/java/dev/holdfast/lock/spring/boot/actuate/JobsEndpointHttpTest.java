package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spring.JobStopRequested;
import dev.holdfast.lock.spring.LockPausedException;
import dev.holdfast.lock.spring.LockResumed;
import dev.holdfast.lock.spring.OncePerTick;
import dev.holdfast.lock.testing.RedisServer;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs over HTTP, behind Spring Security. The endpoint of jobs is opened for writing, and that of locks is not. */
@ExtendWith(OutputCaptureExtension.class)
class JobsEndpointHttpTest {

    private static final String JOBS = "/actuator/jobs";
    private static final String ORDER = JOBS + "/order";
    private static final String PAUSE = "{\"action\": \"pause\", \"duration\": \"1h\", \"reason\": \"INC-7\"}";
    private static final String STOP = "{\"action\": \"stop\"}";
    private static final String RESUME = "{\"action\": \"resume\"}";

    private static RedisServer server;
    private static OperatedApplication application;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        application = OperatedApplication.withSecurity(
                List.of(Report.class, Resumptions.class, Stops.class),
                "spring.data.redis.port=" + server.port(),
                "management.endpoint.jobs.access=unrestricted",
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
        HttpResponse<String> paused = application.postAsOperator(ORDER, PAUSE);
        assertThat(paused.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<String>read(paused.body(), "$.by")).isEqualTo("olga");
        assertThat(JsonPath.<String>read(paused.body(), "$.until")).startsWith("20");
        assertThatThrownBy(() -> application.jobs().order("1", "", () -> {})).isInstanceOf(LockPausedException.class);
        assertThat(JsonPath.<Map<String, Object>>read(show(ORDER), "$"))
                .containsEntry("name", "order")
                .containsEntry("pausable", true)
                .containsEntry("pause", JsonPath.read(paused.body(), "$"))
                .containsEntry("ticks", List.of());

        HttpResponse<String> health = application.get("/actuator/health/holdfast");
        assertThat(JsonPath.<String>read(health.body(), "$.status")).isEqualTo("UP");
        assertThat(JsonPath.<String>read(health.body(), "$.details.paused[0]"))
                .startsWith("order: paused by 'olga' until 20");

        HttpResponse<String> resumed = application.postAsOperator(ORDER, RESUME);
        assertThat(resumed.statusCode()).isEqualTo(200);
        assertThat(JsonPath.<Map<String, Object>>read(resumed.body(), "$"))
                .isEqualTo(Map.of("name", "order", "resumed", true));
        assertThat(application.bean(Resumptions.class).events)
                .extracting(LockResumed::by)
                .containsExactly("olga");
        assertThatCode(() -> application.jobs().order("1", "", () -> {})).doesNotThrowAnyException();
        assertThatOrderIsNotPaused();
        assertThat(application.get("/actuator/health/holdfast").body()).doesNotContain("paused");
        assertThat(output.getAll().lines().filter(line -> line.contains("WARN") && line.contains("Lock 'order' is")))
                .hasSize(2)
                .allMatch(line -> line.contains("'olga'"));
    }

    @Test
    void operatorAsksARunToStop(CapturedOutput output) {
        String report = JOBS + "/report";
        try (Lease lease = application.locks().getLock("report").acquire()) {
            assertThat(application.post(report, STOP).statusCode()).isEqualTo(401);
            HttpResponse<String> answer = application.postAsOperator(report, STOP);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(JsonPath.<Map<String, Object>>read(answer.body(), "$"))
                    .isEqualTo(Map.of("name", "report", "asked", true));
            assertThat(lease.verify()).isTrue();
            assertThat(lease.stopRequested()).isTrue();
        }
        assertThat(JsonPath.<Map<String, Object>>read(
                        application.postAsOperator(report, STOP).body(), "$"))
                .isEqualTo(Map.of("name", "report", "asked", false));
        assertThat(application.bean(Stops.class).events).containsExactly(new JobStopRequested("report", "olga"));
        assertThat(output.getAll().lines().filter(line -> line.contains("WARN") && line.contains("was asked to stop")))
                .singleElement()
                .asString()
                .contains("Job 'report' was asked to stop by 'olga'");
    }

    @Test
    void lockThatIsNoJobIsNotAskedToStop() {
        try (Lease lease = application.locks().getLock("refund").acquire()) {
            assertThat(application.postAsOperator(JOBS + "/refund", STOP).statusCode())
                    .isEqualTo(404);
            assertThat(lease.verify()).isTrue();
            assertThat(lease.stopRequested()).isFalse();
        }
    }

    @Test
    void showsWhatHappenedToTheTicks() {
        application.bean(Report.class).write();
        assertThat(JsonPath.<List<String>>read(show(JOBS), "$.jobs[*].name")).containsExactly("order", "report");
        assertThat(JsonPath.<List<Object>>read(show(JOBS), "$.jobs[1].ticks[0].history"))
                .isEqualTo(JsonPath.<List<Object>>read(show(JOBS + "/report"), "$.ticks[0].history"));
        assertThat(JsonPath.<Map<String, Object>>read(show(JOBS + "/report"), "$"))
                .containsEntry("pausable", false)
                .containsEntry("pause", null);
        assertThat(JsonPath.<String>read(show(JOBS + "/report"), "$.ticks[0].history[0].outcome"))
                .isEqualTo("SUCCEEDED");
    }

    @Test
    void jobThatNobodyKnowsIsNotFound() {
        HttpResponse<String> answer = application.getAsOperator(JOBS + "/refund");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(JsonPath.<String>read(answer.body(), "$.error")).contains("'refund'", "pausable");
    }

    @Test
    void strangerSeesAndPausesNothing() {
        assertThat(application.get(JOBS).statusCode()).isEqualTo(401);
        assertThat(application.post(ORDER, PAUSE).statusCode()).isEqualTo(401);
        assertThatOrderIsNotPaused();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "order {\"action\": \"pause\", \"duration\": \"1h\"}",
                "order {\"action\": \"pause\", \"duration\": \"60\", \"reason\": \"no unit\"}",
                "order {\"action\": \"pause\", \"duration\": \"60d\", \"reason\": \"too long\"}",
                "order {\"action\": \"pause\", \"duration\": \"0s\", \"reason\": \"too short\"}",
                "order {\"action\": \"pause\", \"reason\": \"without an end\"}",
                "order {\"action\": \"stop it\", \"duration\": \"1h\", \"reason\": \"no action\"}",
                "order {\"duration\": \"1h\", \"reason\": \"without an action\"}",
                "order {\"action\": \"pause\", \"duration\": \"1h\", \"reason\": \"misspelled\", \"untill\": \"x\"}",
                "refund {\"action\": \"pause\", \"duration\": \"1h\", \"reason\": \"not pausable\"}",
                "report {\"action\": \"pause\", \"duration\": \"1h\", \"reason\": \"not pausable\"}",
                "oder {\"action\": \"pause\", \"duration\": \"1h\", \"reason\": \"misspelled\"}"
            })
    void changeThatCannotBeMeantIsABadRequest(String request) {
        String[] nameAndJson = request.split(" ", 2);
        HttpResponse<String> answer = application.postAsOperator(JOBS + "/" + nameAndJson[0], nameAndJson[1]);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(answer.body(), "$.error")).isNotBlank();
        assertThatOrderIsNotPaused();
    }

    @Test
    void requestWithoutAnActionSaysThatItIsMissing() {
        HttpResponse<String> answer = application.postAsOperator(ORDER, "{}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).isEqualTo("{\"error\":\"Missing: 'action'\"}");
    }

    @Test
    void whoMayPauseJobsMayNotReleaseLocks() {
        try (Lease lease = application.locks().getLock("refund").acquire()) {
            assertThat(application
                            .deleteAsOperator(OperatedApplication.lock("refund"))
                            .statusCode())
                    .isEqualTo(405);
            assertThat(application.deleteAsOperator(JOBS + "/refund").statusCode())
                    .isEqualTo(405);
            assertThat(lease.verify()).isTrue();
        }
    }

    private static String show(String path) {
        HttpResponse<String> answer = application.getAsOperator(path);
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    private static void assertThatOrderIsNotPaused() {
        assertThat(JsonPath.<Object>read(show(ORDER), "$.pause")).isNull();
    }

    static class Report {

        @Scheduled(cron = "0 0 0 1 1 *", zone = "UTC")
        @OncePerTick("report")
        void write() {}
    }

    static class Stops {

        final List<JobStopRequested> events = new CopyOnWriteArrayList<>();

        @EventListener
        void note(JobStopRequested event) {
            events.add(event);
        }
    }

    static class Resumptions {

        final List<LockResumed> events = new CopyOnWriteArrayList<>();

        @EventListener
        void note(LockResumed event) {
            events.add(event);
        }
    }
}
