package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockEvent;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.redis.RedisLockClientBuilder;
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

/** A lock whose thread died is reported once, with the place where it was acquired if that is recorded. */
@Timeout(Await.TEST_SECONDS)
class DeadThreadTest {

    private final RedisServer server = RedisServer.shared();
    private final String name = Waits.name("long");
    private final List<LockEvent.Abandoned> abandoned = new CopyOnWriteArrayList<>();

    private RedisLockClientBuilder client() {
        return Waits.client(server)
                .watchdogTimeout(Duration.ofMillis(1_500))
                .commandTimeout(Duration.ofSeconds(2))
                .listener(new LockListener() {
                    @Override
                    public void onAbandoned(LockEvent.Abandoned event) {
                        abandoned.add(event);
                    }
                });
    }

    private void assertAcquiredHere(List<StackTraceElement> site) {
        assertThat(site).anyMatch(call -> call.getClassName().equals(getClass().getName()));
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
            assertThat(log.tracesOf(name))
                    .singleElement()
                    .satisfies(trace -> assertAcquiredHere(List.of(trace.getStackTrace())));
            assertThat(client.heldLocks()).allSatisfy(held -> assertAcquiredHere(held.acquiredAt()));
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
            assertThat(abandoned.get(0).acquiredAt()).as("not recorded").isEmpty();
        }
    }
}
