package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.testing.RedisServer;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** The endpoint behind the filter chain of Spring Boot, and behind the one that docs/endpoints.md shows. */
// Drops results on purpose, mostly of calls that must fail.
@SuppressWarnings("CheckReturnValue")
class SecurityDefaultsHttpTest {

    private static final String OPEN = "management.endpoint.locks.access=unrestricted";

    private static OperatedApplication application;

    private final String id = UUID.randomUUID().toString();

    @BeforeAll
    static void start() {
        application = OperatedApplication.withSecurityDefaults(List.of(), OPEN, "management.endpoint.jobs.access=none");
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

    @Test
    void operatorFreesALockOfAnyNameWithTheChainThatTheManualShows() {
        try (OperatedApplication manual = OperatedApplication.withSecurityDefaults(List.of(Recipe.class), OPEN)) {
            for (String prefix : List.of("rate:50%", "a//b", "a;b=c")) {
                String name = prefix + "/" + id;
                manual.locks().getLock(name).acquire();
                assertThat(manual.delete(OperatedApplication.lock(name)).statusCode())
                        .isEqualTo(401);
                HttpResponse<String> answer = manual.deleteAsOperator(OperatedApplication.lock(name));
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                assertThat(JsonPath.<Boolean>read(answer.body(), "$.released")).isTrue();
                assertThat(RedisServer.shared().cli().exists(name)).isZero();
            }
            assertThat(manual.get("/actuator/health").statusCode()).isEqualTo(200);
        }
    }

    /** As docs/endpoints.md shows it. */
    static class Recipe {

        @Bean
        SecurityFilterChain actuator(HttpSecurity http) throws Exception {
            return http.securityMatcher(EndpointRequest.toAnyEndpoint())
                    .authorizeHttpRequests(requests -> requests.requestMatchers(EndpointRequest.to("health"))
                            .permitAll()
                            .anyRequest()
                            .hasRole("OPERATOR"))
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.ignoringRequestMatchers(EndpointRequest.to("jobs", "locks")))
                    .build();
        }
    }
}
