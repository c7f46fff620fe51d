package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock whose key outlives its lease, as after the server's clock was set back, does not block for longer than the lease. */
class DeadLockHealsTest {

    private static final Duration LEASE = Duration.ofMillis(300);

    private final RedisServer server = RedisServer.shared();
    private final LockClient client = Waits.client(server).build();
    private final String name = "heal-" + UUID.randomUUID();

    @AfterEach
    void close() {
        client.close();
        server.cli().del(name);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 3_600_000})
    void waiterCutsATimeToLiveThatIsLongerThanTheLease(long millis) {
        Lease dead = held();
        if (millis < 0) {
            server.cli().persist(name);
        } else {
            server.cli().pexpire(name, millis);
        }

        try (Lease next = client.getLock(name).acquire()) {
            assertThat(next.fencingToken()).isGreaterThan(dead.fencingToken());
        }
    }

    @Test
    void refusedTryHealsAsWell() {
        held();
        server.cli().persist(name);

        assertThat(client.getLock(name).tryAcquire()).isEmpty();
        assertThat(server.cli().pttl(name)).isBetween(1L, LEASE.toMillis());
    }

    @Test
    void foreignKeyWithoutALeaseIsLeftAlone() {
        server.cli().hset(name, UUID.randomUUID() + ":1", "1");

        assertThat(client.getLock(name).tryAcquire()).isEmpty();
        assertThat(server.cli().pttl(name)).isEqualTo(-1);
    }

    /** By a client that dies at once and releases nothing: its lease is written by hand. */
    private Lease held() {
        LockClient holder = Waits.client(server).build();
        Lease lease = holder.getLock(name).acquire(AcquireOptions.defaults().lease(LEASE));
        var state = server.cli().hgetall(name);
        holder.close();
        server.cli().hset(name, state);
        server.cli().pexpire(name, LEASE.toMillis());
        return lease;
    }
}
