package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.HeldLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LogLines;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock that is held for long, or by a thread that died, is reported once, with the place where it was acquired. */
@Timeout(60)
class LongHoldTest {

    private static final Duration THRESHOLD = Duration.ofMillis(200);

    private final RedisServer server = RedisServer.shared();
    private final String name = Waits.name("long");
    private final List<LockEvent.LongHold> reports = new CopyOnWriteArrayList<>();
    private final List<LockEvent.Abandoned> abandoned = new CopyOnWriteArrayList<>();

    private RedisLockClientBuilder client() {
        return Waits.client(server)
                .watchdogTimeout(Duration.ofMillis(1_500))
                .commandTimeout(Duration.ofSeconds(2))
                .listener(new LockListener() {
                    @Override
                    public void onLongHold(LockEvent.LongHold event) {
                        reports.add(event);
                    }

                    @Override
                    public void onAbandoned(LockEvent.Abandoned event) {
                        abandoned.add(event);
                    }
                });
    }

    private void awaitReport() {
        Await.until("the hold is reported", TwoClients.PATIENCE, () -> !reports.isEmpty());
    }

    private void assertAcquiredHere(List<StackTraceElement> site) {
        assertThat(site).anyMatch(call -> call.getClassName().equals(getClass().getName()));
    }

    @Test
    void longHoldIsReportedOnceWithThePlaceOfItsAcquisition() {
        try (LogLines log = LogLines.record();
                LockClient client = client().longHoldThreshold(THRESHOLD)
                        .recordAcquisitionSites(true)
                        .build();
                Lease lease = client.getLock(name).acquire()) {
            awaitReport();
            // Time is the subject: several more looks.
            Pause.of(THRESHOLD.multipliedBy(6));
            assertThat(reports).singleElement().satisfies(report -> {
                assertThat(report.lockName()).isEqualTo(name);
                assertThat(report.kind()).isEqualTo(LockKind.REENTRANT);
                assertThat(report.fencingToken()).isEqualTo(lease.fencingToken());
                assertThat(report.held()).isGreaterThanOrEqualTo(THRESHOLD);
                assertThat(report.thread()).isEqualTo(Thread.currentThread().getName());
                assertAcquiredHere(report.acquiredAt());
            });
            assertThat(log.warningsThat(line -> line.contains(name)))
                    .singleElement()
                    .satisfies(
                            line -> assertThat(line).contains("has held", "token " + lease.fencingToken(), "owner "));
            assertThat(log.tracesOf(name))
                    .singleElement()
                    .satisfies(trace -> assertAcquiredHere(List.of(trace.getStackTrace())));
            assertThat(client.heldLocks()).singleElement().satisfies(held -> assertAcquiredHere(held.acquiredAt()));
        }
    }

    @Test
    void eachHoldIsReportedAnewAndOnlyByAClientWithAThreshold() {
        try (LockClient client = client().longHoldThreshold(THRESHOLD).build();
                LockClient unhurried =
                        client().longHoldThreshold(Duration.ofSeconds(20)).build();
                LockClient plain = client().build();
                Lease brief = unhurried.getLock(name + "-brief").acquire();
                Lease other = plain.getLock(name + "-plain").acquire()) {
            for (int hold = 1; hold <= 2; hold++) {
                try (Lease lease = client.getLock(name).acquire()) {
                    int expected = hold;
                    Await.until("report " + hold, TwoClients.PATIENCE, () -> reports.size() == expected);
                    assertThat(reports.get(hold - 1).fencingToken()).isEqualTo(lease.fencingToken());
                    assertThat(reports.get(hold - 1).acquiredAt())
                            .as("not recorded")
                            .isEmpty();
                }
            }
            assertThat(brief.isHeld() && other.isHeld()).isTrue();
            assertThat(plain.heldLocks())
                    .singleElement()
                    .extracting(HeldLock::acquiredAt)
                    .isEqualTo(List.of());
        }
    }

    @Test
    void lockOfADeadThreadIsReportedWithThePlaceOfItsAcquisition() throws Exception {
        try (LogLines log = LogLines.record();
                LockClient client = client().recordAcquisitionSites(true).build()) {
            Thread thread = new Thread(() -> client.getLock(name).lock(), "dies\nholding");
            thread.start();
            thread.join();
            Await.until("it is reported", TwoClients.PATIENCE, () -> !abandoned.isEmpty());
            assertThat(abandoned).singleElement().satisfies(report -> {
                assertThat(report.lockName()).isEqualTo(name);
                assertThat(report.thread()).isEqualTo("dies\nholding");
                assertAcquiredHere(report.acquiredAt());
            });
            assertThat(log.warningsThat(line -> line.contains("ended without unlocking") && line.contains(name)))
                    .singleElement()
                    .satisfies(line ->
                            assertThat(line).contains("dies\\u000aholding").doesNotContain("\n"));
        }
    }

    @Test
    void lockOfADeadThreadWithAFixedLeaseIsReportedToo() throws Exception {
        try (LockClient client = client().build()) {
            Thread thread = new Thread(() -> client.getLock(name).lock(Duration.ofSeconds(1)));
            thread.start();
            thread.join();
            Await.until("it is reported", TwoClients.PATIENCE, () -> !abandoned.isEmpty());
            assertThat(abandoned.get(0).lockName()).isEqualTo(name);
        }
    }

    @Test
    void thresholdOfNothingIsRefused() {
        assertThatThrownBy(() -> client().longHoldThreshold(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'longHoldThreshold'");
    }
}
