package dev.holdfast.lock.redis.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.redis.fixture.ScriptedThread;
import dev.holdfast.lock.redis.fixture.TwoClients;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parts of the contract that take their time, on one topology only. */
@Timeout(value = Await.TEST_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimedHoldTest {

    private static final Duration FIXED = Duration.ofSeconds(6);

    private final RedisServer server = RedisServer.shared();

    @AutoClose
    private final LockClient client =
            Waits.client(server).watchdogTimeout(FIXED.plusSeconds(3)).build();

    private final LeaseLock lock = client.getLock("timed-hold-" + UUID.randomUUID());

    @Test
    void nestedHoldWithoutAnEndKeepsAFixedLeaseRenewed() {
        lock.lock(FIXED);
        // So late that the watchdog's next round comes after the lease's end.
        Await.until("little is left", FIXED, () -> lock.remainingLease().toMillis() < 1_600);
        lock.lock();
        assertThat(server.cli().pttl(lock.name())).isGreaterThan(FIXED.toMillis());
        assertThat(lock.remainingLease()).isGreaterThan(FIXED);
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(server.cli().exists(lock.name())).isZero();
    }

    @Test
    void holderIsRenewedWhileItsClientCloses() throws Exception {
        LockClient closing =
                Waits.client(server).watchdogTimeout(TwoClients.WATCHDOG).build();
        Lease lease = closing.getLock(lock.name()).acquire();
        try (ScriptedThread closer = new ScriptedThread()) {
            var closed = closer.start(() -> {
                closing.close(TwoClients.PATIENCE);
                return true;
            });
            Await.until("the client closes", TwoClients.PATIENCE, () -> isClosed(closing));
            TwoClients.awaitRenewal(lease);
            assertThat(closed).isNotDone();
            lease.close();
            ScriptedThread.outcome(closed);
        }
    }

    private static boolean isClosed(LockClient client) {
        try {
            client.getLock("timed-hold-new").tryAcquire().ifPresent(Lease::close);
            return false;
        } catch (LockUnavailableException closed) {
            return true;
        }
    }
}
