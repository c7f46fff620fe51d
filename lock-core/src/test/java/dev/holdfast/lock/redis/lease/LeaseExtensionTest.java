package dev.holdfast.lock.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.AcquireOptions;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
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
}
