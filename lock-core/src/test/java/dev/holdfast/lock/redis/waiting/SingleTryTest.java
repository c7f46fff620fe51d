package dev.holdfast.lock.redis.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class SingleTryTest {

    private final RedisServer server = RedisServer.shared();
    private final String name = "single-try-" + UUID.randomUUID();

    @Test
    void whoeverDoesNotWantToWaitIsRefusedByTheFirstAnswer() {
        try (LockClient holder = Waits.client(server).build();
                LockClient other = Waits.client(server).build();
                Lease held = holder.getLock(name).acquire()) {
            assertThat(other.getLock(name).tryLock()).isFalse();
            assertThat(held.isHeld()).isTrue();
        }
    }
}
