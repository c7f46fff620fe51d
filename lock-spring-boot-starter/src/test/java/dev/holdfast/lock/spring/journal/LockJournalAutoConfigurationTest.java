package dev.holdfast.lock.spring.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.spring.LockJournal;
import dev.holdfast.lock.testing.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;

/** The journal in an application, read as an operator reads it. */
class LockJournalAutoConfigurationTest {

    private static final String SIZE = "holdfast.journal-size=";

    private final String lock = "bill:" + UUID.randomUUID();

    @Test
    void endpointShowsWhatHappenedUnderNamesThatStay() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext application = application(SIZE + 100)) {
            LockClient locks = application.getBean(LockClient.class);
            String token;
            try (Lease lease = locks.getLock(lock).acquire()) {
                token = Long.toString(lease.fencingToken());
                Thread other = new Thread(
                        () -> assertThat(locks.getLock(lock).tryAcquire()).isEmpty());
                other.start();
                other.join();
            }
            HttpResponse<String> answer = get(application, "?journal");
            assertThat(answer.statusCode()).isEqualTo(200);
            Map<String, Object> journal = JsonPath.read(answer.body(), "$");
            assertThat(journal.keySet())
                    .containsExactly(
                            "format",
                            "instance",
                            "startedAt",
                            "completeSince",
                            "readAt",
                            "overwritten",
                            "missing",
                            "events");
            assertThat(journal)
                    .containsEntry("format", 1)
                    .containsEntry("instance", locks.clientName())
                    .containsEntry("completeSince", journal.get("startedAt"))
                    .containsEntry("overwritten", 0)
                    .containsEntry("missing", 0);
            List<LinkedHashMap<String, Object>> events = JsonPath.read(answer.body(), "$.events");
            assertThat(events).extracting("event").contains("acquired", "refused", "released");
            Map<String, Object> acquired = events.get(0);
            assertThat(acquired.keySet())
                    .containsExactly(
                            "event",
                            "lock",
                            "kind",
                            "token",
                            "grantedAt",
                            "at",
                            "waitedMicros",
                            "heldMicros",
                            "unconfirmedMicros",
                            "handedOver",
                            "cause");
            assertThat(acquired)
                    .containsEntry("lock", lock)
                    .containsEntry("kind", "REENTRANT")
                    .containsEntry("token", token);
            assertThat(Instant.parse((String) acquired.get("grantedAt")))
                    .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
        }
    }

    @Test
    void journalHasAllAcquisitionsThatWereMadeBeforeItIsRead() {
        try (ConfigurableApplicationContext application = application(SIZE + 10)) {
            LockClient locks = application.getBean(LockClient.class);
            for (int i = 0; i < 40; i++) {
                locks.getLock(lock).acquire().close();
            }
            LockJournal.Contents journal =
                    application.getBean(LockJournal.class).read();
            assertThat(journal.missing()).isZero();
            assertThat(journal.overwritten()).isPositive();
            assertThat(journal.events()).hasSize(10);
            assertThat(journal.completeSince()).isAfter(journal.startedAt());
        }
    }

    @Test
    void instanceWithoutTheSettingKeepsNothing() throws IOException, InterruptedException {
        try (ConfigurableApplicationContext application = application()) {
            assertThat(application.getBeanNamesForType(LockJournal.class)).isEmpty();
            HttpResponse<String> answer = get(application, "?journal=true");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("Set holdfast.journal-size");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1000001"})
    void sizeOutOfBoundsFailsTheStart(String size) {
        assertThatThrownBy(() -> application(SIZE + size).close())
                .rootCause()
                .hasMessageContaining("between 1 and 1000000");
    }

    private static ConfigurableApplicationContext application(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .resourceLoader(new DefaultResourceLoader(
                        new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security")))
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + RedisServer.shared().port(),
                        "management.endpoints.web.exposure.include=locks")
                .properties(properties)
                .run();
    }

    private static HttpResponse<String> get(ConfigurableApplicationContext application, String query)
            throws IOException, InterruptedException {
        String port = application.getEnvironment().getRequiredProperty("local.server.port");
        URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/locks" + query);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
