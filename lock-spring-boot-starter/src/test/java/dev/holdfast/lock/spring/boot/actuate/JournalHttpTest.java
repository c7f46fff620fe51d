package dev.holdfast.lock.spring.boot.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.jayway.jsonpath.JsonPath;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What the endpoint shows of the journal, which {@code dev.holdfast.lock.spring.journal} keeps. */
class JournalHttpTest {

    private final String lock = "bill:" + UUID.randomUUID();

    @Test
    void endpointShowsWhatHappenedUnderNamesThatStay() throws InterruptedException {
        try (OperatedApplication application = OperatedApplication.withoutSecurity("holdfast.journal-size=100")) {
            LockClient locks = application.locks();
            String token;
            try (Lease lease = locks.getLock(lock).acquire()) {
                token = Long.toString(lease.fencingToken());
                Thread other = new Thread(
                        () -> assertThat(locks.getLock(lock).tryAcquire()).isEmpty());
                other.start();
                other.join();
            }
            HttpResponse<String> answer = application.get("/actuator/locks?journal");
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
                            "serverChanges",
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
    void instanceWithoutAJournalSaysHowToKeepOne() {
        try (OperatedApplication application = OperatedApplication.withoutSecurity()) {
            HttpResponse<String> answer = application.get("/actuator/locks?journal=true");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("Set holdfast.journal-size");
        }
    }
}
