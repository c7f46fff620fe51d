package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Pause;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the watchdog renews one hold. {@link ManyRenewalsTest} has what many cost. */
@Timeout(60)
class RenewalTest extends CountedRenewals {

    @Test
    void holdOfManyLeasesKeepsItsKeyAtThreeRenewalsALease() {
        Duration lease = Duration.ofMillis(2_500);
        try (LockClient client = client(lease)) {
            Lease held = client.getLock(name).acquire();
            server.resetStats();
            Pause.of(lease.multipliedBy(3));
            assertThat(scripts()).isBetween(6L, 11L);
            assertThat(held.isHeld()).isTrue();
            assertThat(server.cli().hget(name, "holdfast:token")).isEqualTo(Long.toString(held.fencingToken()));
            held.close();
        }
        assertThat(listener.losses).isEmpty();
    }

    @Test
    void givenLeaseIsRenewedOnlyWhereThatIsAskedFor() {
        Duration lease = Duration.ofMillis(2_000);
        try (LockClient client = client(Duration.ofSeconds(30))) {
            AcquireOptions given = AcquireOptions.defaults().lease(lease);
            Lease renewed = client.getLock(name + "renewed").acquire(given.renewed());
            Lease fixed = client.getLock(name + "fixed").acquire(given);
            Pause.of(lease.multipliedBy(3));
            assertThat(renewed.isHeld()).isTrue();
            assertThat(fixed.isHeld()).isFalse();
            assertThat(server.cli().exists(name + "renewed", name + "fixed")).isEqualTo(1);
            renewed.close();
        }
    }

    @Test
    void nestedHoldWithoutEndLastsThoughTheOuterLeaseIsAlmostOver() {
        Duration lease = Duration.ofSeconds(5);
        try (LockClient client = client(lease)) {
            client.getLock(name).lock(lease);
            // Behind the last round that comes by before the end.
            Pause.of(lease.multipliedBy(8).dividedBy(10));
            client.getLock(name).lock();
            Pause.of(lease);
            assertThat(client.getLock(name).isHeldByCurrentThread()).isTrue();
            client.getLock(name).unlock();
            client.getLock(name).unlock();
        }
        assertThat(listener.losses).isEmpty();
    }
}
