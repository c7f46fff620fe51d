package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Pause;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.FaultProxy;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LeaseExtensionTest {

    private final RedisServer server = RedisServer.shared();
    private final String name = "extension-" + UUID.randomUUID();

    @Test
    void anExtensionNeverClaimsMoreThanRedisWasTold() {
        try (LockClient client = Waits.client(server).build();
                Lease lease =
                        client.getLock(name).acquire(AcquireOptions.defaults().lease(Duration.ofSeconds(30)))) {
            server.cli().pexpire(name, 5000);

            lease.extend(Duration.ofSeconds(6));

            assertThat(lease.remaining())
                    .isLessThan(Duration.ofMillis(server.cli().pttl(name)));
        }
    }

    @Test
    void deadHoldersLockIsFreeAtTheEndOfTheExtensionAndNotAnExtensionLater() {
        Duration watchdog = Duration.ofSeconds(1);
        Duration extension = watchdog.multipliedBy(4);
        try (FaultProxy proxy = FaultProxy.to(server.port());
                LockClient client =
                        Waits.client(proxy).watchdogTimeout(watchdog).build()) {
            Lease lease = Waits.held(client, name);
            lease.extend(extension);
            // Time is the subject: renewals go on while the extension lasts.
            Pause.of(extension.minusMillis(500));
            assertThat(lease.isHeld()).isTrue();

            proxy.blackHole();

            assertThat(server.cli().pttl(name)).isLessThanOrEqualTo(watchdog.toMillis());
            proxy.heal();
        }
    }
}
