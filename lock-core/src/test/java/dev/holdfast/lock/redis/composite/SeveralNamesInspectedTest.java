package dev.holdfast.lock.redis.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseLock;
import dev.holdfast.lock.LockClient;
import dev.holdfast.lock.LockState;
import dev.holdfast.lock.redis.fixture.Waits;
import dev.holdfast.lock.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SeveralNamesInspectedTest {

    private final String name = "several-names-" + UUID.randomUUID() + "-";
    private final List<String> names = List.of(name + "b", name + "a", name + "free");

    @Test
    void severalNamesAreInspectedAndReleasedAsOne() throws InterruptedException {
        try (LockClient client = Waits.client(RedisServer.shared()).build()) {
            assertThat(client.inspect(names)).isEmpty();
            assertThat(client.forceRelease(names)).isFalse();
            client.getMultiLock(List.of(name + "a", name + "b")).lock();
            assertThat(client.inspect(names)).extracting(LockState::lockName).containsExactly(name + "a", name + "b");
            assertThatIllegalArgumentException().isThrownBy(() -> client.forceRelease(List.of(name + "a", "")));
            assertThatIllegalArgumentException().isThrownBy(() -> client.inspect(List.of()));
            assertThat(client.inspect(names)).hasSize(2);
            assertThat(client.forceRelease(names)).isTrue();
            assertThat(client.inspect(names)).isEmpty();
        }
    }

    @Test
    void interruptibleLockWithALeaseIsNotRenewed() throws InterruptedException {
        try (LockClient client = Waits.client(RedisServer.shared()).build()) {
            LeaseLock lock = client.getLock(name);
            lock.lockInterruptibly(Duration.ofMinutes(5));
            assertThat(client.heldLocks()).singleElement().satisfies(held -> {
                assertThat(held.renewed()).isFalse();
                assertThat(held.remaining()).isGreaterThan(Duration.ofMinutes(4));
            });
            lock.unlock();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lock.lockInterruptibly(Duration.ofMinutes(5)))
                    .isInstanceOf(InterruptedException.class);
            assertThat(lock.holdCount()).isZero();
        }
    }
}
