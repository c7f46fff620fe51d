package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Part of the contract, on one topology only: it takes its time. */
class NestedHoldTest {

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void nestedHoldWithoutAnEndKeepsAFixedLeaseRenewed() {
        RedisServer server = RedisServer.shared();
        String name = "nested-" + UUID.randomUUID();
        Duration fixed = Duration.ofSeconds(6);
        try (LockClient client =
                Waits.client(server).watchdogTimeout(fixed.plusSeconds(3)).build()) {
            LeaseLock lock = client.getLock(name);
            lock.lock(fixed);
            // So late that the watchdog's next round comes after the lease's end.
            Await.until("little is left", fixed, () -> lock.remainingLease().toMillis() < 1_600);
            lock.lock();
            assertThat(server.cli().pttl(name)).isGreaterThan(fixed.toMillis());
            assertThat(lock.remainingLease()).isGreaterThan(fixed);
            lock.unlock();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            lock.unlock();
            assertThat(server.cli().exists(name)).isZero();
        }
    }
}
