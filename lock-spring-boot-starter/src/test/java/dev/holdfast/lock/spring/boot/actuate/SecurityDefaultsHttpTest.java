package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The endpoint behind the filter chain of Spring Boot. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class SecurityDefaultsHttpTest {

    private static OperatedApplication application;

    private final String id = UUID.randomUUID().toString();

    @BeforeAll
    static void start() {
        application = OperatedApplication.withSecurityDefaults(
                List.of(), "management.endpoint.locks.access=unrestricted", "management.endpoint.jobs.access=none");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rate:50%", "a%3Ab", "a//b", "a;b=c", "a?b&c=d#e", "a b+c", "..", "größe", "a\\b"})
    void lockOfAnyNameCanBeRead(String prefix) {
        String name = prefix + "/" + id;
        try (Lease lease = application.locks().getLock(name).acquire()) {
            HttpResponse<String> answer = application.getAsOperator(OperatedApplication.lock(name));
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(JsonPath.<Map<String, Object>>read(answer.body(), "$"))
                    .containsEntry("name", name)
                    .containsEntry("held", true);
            assertThat(JsonPath.<Object>read(answer.body(), "$.holders[0].fencingToken"))
                    .isEqualTo(Long.toString(lease.fencingToken()));
        }
    }

    @Test
    void strangerGetsNothing() {
        assertThat(application.get("/actuator/jobs").statusCode()).isEqualTo(401);
        assertThat(application.get("/actuator/locks").statusCode()).isEqualTo(401);
        assertThat(application.get(OperatedApplication.lock(id)).statusCode()).isEqualTo(401);
    }

    @Test
    void jobsWithoutAccessAreHidden() {
        assertThat(application.getAsOperator("/actuator/jobs").statusCode()).isEqualTo(404);
        assertThat(application.getAsOperator("/actuator/jobs/order").statusCode())
                .isEqualTo(404);
        assertThat(application.getAsOperator("/actuator/locks").statusCode()).isEqualTo(200);
    }

    @Test
    void defaultsForbidTheForcedRelease() {
        try (Lease lease = application.locks().getLock(id).acquire()) {
            assertThat(application
                            .deleteAsOperator(OperatedApplication.lock(id))
                            .statusCode())
                    .isEqualTo(401);
            assertThat(lease.verify()).isTrue();
        }
    }
}
